// Writes a TypeScript program that compiles only if messages are as Slack and Matrix type them:
//
//     print_messages | node write_check.js > check.ts
//
// A literal with a field too many, or with another word than the type allows, does not compile. The
// last lines are such literals: else nothing was checked.
//
// There is nothing like it for Mattermost: its package of types has the settings of an incoming
// webhook, and not the body that one takes.
'use strict';
const {slack, matrix} = JSON.parse(require('fs').readFileSync(0, 'utf8'));

const copy = (value) => JSON.parse(JSON.stringify(value));
const wrong = [];
function refuse(type, message, change) {
  const changed = copy(message);
  change(changed);
  wrong.push(`// @ts-expect-error\nexport const wrong${wrong.length}: ${type} = ` +
    `${JSON.stringify(changed)};`);
}
refuse('SlackMessage', slack[0], (message) => { message.blocks[0].text.type = 'mrkdwn'; });
refuse('SlackMessage', slack[0], (message) => { message.blocks[1].texts = []; });
refuse('SlackMessage', slack[0], (message) => { delete message.blocks[1].type; });
refuse('MatrixMessage', matrix[0], (message) => { message.msgtype = 'm.notices'; });
refuse('MatrixMessage', matrix[0], (message) => { message['m.mention'] = {}; });
refuse('MatrixMessage', matrix[0], (message) => { delete message.body; });

process.stdout.write(`
import type {KnownBlock} from '@slack/types';
import type {RoomMessageTextEventContent} from 'matrix-js-sdk/lib/@types/events';

// As it is on the wire: names of enumerations are their texts.
type Wire<T> = T extends string ? \`\${T}\`
  : T extends object ? {[K in keyof T]: Wire<T[K]>} : T;
interface SlackMessage { text: string; blocks: KnownBlock[] }
type MatrixMessage = Wire<RoomMessageTextEventContent>;

export const slack: SlackMessage[] = ${JSON.stringify(slack)};
export const matrix: MatrixMessage[] = ${JSON.stringify(matrix)};
${wrong.join('\n')}
`);
