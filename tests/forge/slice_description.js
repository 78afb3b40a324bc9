// Cuts the paths that gprofhub uses out of GitHub's API description, so that
// prism reads it in seconds:
//
//     node slice_description.js api.github.com.deref.json > slice.json
//
// Two things are added that GitHub asks for and the description does not say:
// a bearer token, and answers in the media type that GitHub wants to be asked for.
'use strict';
const fs = require('fs');
const whole = JSON.parse(fs.readFileSync(process.argv[2]));
const repository = '/repos/{owner}/{repo}';
const used = {
  '/user': ['get'],
  '/app': ['get'],
  '/app/installations/{installation_id}/access_tokens': ['post'],
  [repository]: ['get'],
  [`${repository}/installation`]: ['get'],
  [`${repository}/pulls/{pull_number}`]: ['get'],
  [`${repository}/pulls/{pull_number}/files`]: ['get'],
  [`${repository}/issues`]: ['get', 'post'],
  [`${repository}/issues/{issue_number}`]: ['patch'],
  [`${repository}/issues/{issue_number}/comments`]: ['get', 'post'],
  [`${repository}/issues/comments/{comment_id}`]: ['patch', 'delete'],
  [`${repository}/compare/{basehead}`]: ['get'],
  [`${repository}/contents/{path}`]: ['get'],
  [`${repository}/statuses/{sha}`]: ['post'],
  [`${repository}/check-runs`]: ['post'],
  [`${repository}/check-runs/{check_run_id}`]: ['patch'],
  [`${repository}/commits/{ref}/check-runs`]: ['get'],
  [`${repository}/actions/runs/{run_id}`]: ['get'],
  [`${repository}/actions/runs/{run_id}/jobs`]: ['get'],
  [`${repository}/actions/jobs/{job_id}/rerun`]: ['post'],
  [`${repository}/collaborators/{username}/permission`]: ['get'],
  [`${repository}/rules/branches/{branch}`]: ['get'],
};
const slice = {
  openapi: whole.openapi,
  info: whole.info,
  servers: whole.servers,
  paths: {},
  components: {securitySchemes: {token: {type: 'http', scheme: 'bearer'}}},
  security: [{token: []}],
};
for (const [path, methods] of Object.entries(used)) {
  if (!whole.paths[path]) throw new Error(`the description has no ${path}`);
  slice.paths[path] = {};
  for (const method of methods) {
    const operation = whole.paths[path][method];
    if (!operation) throw new Error(`the description has no ${method} ${path}`);
    for (const response of Object.values(operation.responses)) {
      const json = response.content && response.content['application/json'];
      if (json) response.content['application/vnd.github+json'] = json;
    }
    slice.paths[path][method] = operation;
  }
}
process.stdout.write(JSON.stringify(slice));
