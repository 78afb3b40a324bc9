// Holds what the server reads of GitHub's webhooks against GitHub's own examples and schemas:
//
//     node check_hooks.js READ_HOOKS
//
// READ_HOOKS is the program of read_hooks.cc. Prints "PASS: " or "FAIL: " and what was checked.
'use strict';
const {spawnSync} = require('child_process');
const {join} = require('path');
const packages = join(process.cwd(), 'node_modules/@octokit');
const {definitions} = require(join(packages, 'webhooks-schemas/schema.json'));

let failures = 0;
function check(what, good, detail) {
  console.log(`${good ? 'PASS' : 'FAIL'}: webhooks: ${what}`);
  if (good) return;
  ++failures;
  console.log(detail);
}

// What the program says of requests.
function read(requests) {
  const input = requests.map((request) => `${JSON.stringify(request)}\n`).join('');
  const run = spawnSync(process.argv[2], {input, maxBuffer: 1 << 28, encoding: 'utf8'});
  const answers = run.stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line));
  if (run.status !== 0 || answers.length !== requests.length) {
    throw new Error(`${answers.length} answers to ${requests.length} requests: ${run.stderr}`);
  }
  return answers;
}

const requests = [];
for (const version of ['api.github.com', 'ghes-35']) {
  for (const {name, examples} of require(join(packages, 'webhooks-examples', version))) {
    for (const example of examples) {
      requests.push({event: name, body: JSON.stringify(example), example});
    }
  }
}
const wanted = requests.map(({event, example}) =>
  event === 'issue_comment' && example.issue.pull_request
    ? {repository: example.repository.full_name, pull_request: String(example.issue.number)}
    : null);

// GitHub's examples are comments on issues. So each is made into one on a pull request, too, with the
// object that the schema describes.
const link = definitions.issue.properties.pull_request;
const onIssues = requests.filter(({event}) => event === 'issue_comment');
for (const {example} of onIssues) {
  const url = example.issue.html_url;
  const pull_request = Object.fromEntries(
    Object.keys(link.properties).map((field) => [field, field === 'merged_at' ? null : url]));
  const comment = {...example, issue: {...example.issue, pull_request}};
  requests.push({event: 'issue_comment', body: JSON.stringify(comment), example: comment});
  wanted.push({
    repository: example.repository.full_name, pull_request: String(example.issue.number),
  });
}

const answers = read(requests.map(({event, body}) => ({event, body})));
const wrong = answers.findIndex((answer, i) => {
  const want = wanted[i];
  return want === null ? answer !== null
    : !answer || answer.repository !== want.repository || answer.pull_request !== want.pull_request;
});
check(`${requests.length} of GitHub's examples are read as they are meant`, wrong < 0,
  wrong < 0 ? '' : `${requests[wrong].event}: ${JSON.stringify(answers[wrong])}, not ` +
    JSON.stringify(wanted[wrong]));
check('comments on issues and on pull requests are among them',
  wanted.some((want) => want !== null) && onIssues.length > 0, '');

const forged = read(requests.map(({event, body}) => ({event, body, forged: true})));
check('none is read whose signature is somebody else\'s',
  forged.every((answer) => answer && /UNAUTHENTICATED/.test(answer.error)), '');

// What is read is what GitHub always sends.
const created = definitions['issue_comment$created'];
check('GitHub\'s schema has the fields that are read, and wants them',
  ['issue', 'repository'].every((field) => created.required.includes(field)) &&
    definitions.issue.required.includes('number') &&
    definitions.issue.properties.number.type === 'integer' &&
    link.type === 'object' &&
    definitions.repository.required.includes('full_name') &&
    definitions.repository.properties.full_name.type === 'string',
  JSON.stringify(created));
process.exit(failures === 0 ? 0 : 1);
