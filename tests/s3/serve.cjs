// An S3 server for tests: s3rver, and before it what checks the callers' signatures. s3rver knows the
// fourth version of signatures by its form only. So Amazon's own implementation signs each request
// again, as it arrived, and compares.
//
//   node serve.cjs NODE_MODULES FOLDER ACCESS_KEY SECRET_KEY BUCKET
//
// It listens on a free port of 127.0.0.1 and writes "listening PORT". It ends when its input ends, so
// that it does not outlive the test.
'use strict';

const { createHash } = require('crypto');
const fs = require('fs');
const http = require('http');
const path = require('path');
const { createRequire } = require('module');
const { Readable } = require('stream');

const [modules, folder, accessKey, secretKey, bucket] = process.argv.slice(2);
const load = createRequire(path.resolve(modules, 'none.js'));
const S3rver = load('s3rver');
const { SignatureV4 } = load('@smithy/signature-v4');
const { Sha256 } = load('@aws-crypto/sha256-js');

function readBody(request) {
  return new Promise((resolve, reject) => {
    const pieces = [];
    request.on('data', (piece) => pieces.push(piece));
    request.on('end', () => resolve(Buffer.concat(pieces)));
    request.on('error', reject);
  });
}

// "20130524T000000Z" as a time.
function timeOf(text) {
  return new Date(text.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
}

function hashOf(bytes) {
  return createHash('sha256').update(bytes).digest();
}

// The code of what is wrong with a request; undefined if it is good.
async function fault(request, body) {
  const given = request.headers.authorization || '';
  const parts = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d{8}\/([^/]+)\/s3\/aws4_request,\s*SignedHeaders=([^,]+),\s*Signature=([0-9a-f]{64})$/.exec(given);
  if (!parts) return 'AccessDenied';
  const [, key, region, names] = parts;
  if (key !== accessKey) return 'InvalidAccessKeyId';
  if (request.headers['x-amz-content-sha256'] !== hashOf(body).toString('hex')) return 'BadDigest';
  const checksum = request.headers['x-amz-checksum-sha256'];
  if (checksum !== undefined && checksum !== hashOf(body).toString('base64')) return 'BadDigest';
  const url = new URL(request.url, 'http://none');
  const headers = {};
  for (const name of names.split(';')) headers[name] = request.headers[name];
  const signer = new SignatureV4({
    service: 's3',
    region,
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    sha256: Sha256,
    uriEscapePath: false,
  });
  const again = await signer.sign(
    {
      method: request.method,
      protocol: 'http:',
      hostname: '127.0.0.1',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers,
      body,
    },
    { signingDate: timeOf(request.headers['x-amz-date']), signableHeaders: new Set(names.split(';')) },
  );
  const signature = /Signature=([0-9a-f]{64})$/.exec(again.headers.authorization)[1];
  return signature === parts[4] ? undefined : 'SignatureDoesNotMatch';
}

// The request once more, for who has not read its body yet.
function withBody(request, body) {
  const again = Readable.from(body.length > 0 ? [body] : [], { objectMode: false });
  for (const name of ['method', 'url', 'headers', 'rawHeaders', 'httpVersion', 'socket', 'connection']) {
    again[name] = request[name];
  }
  return again;
}

// s3rver's putObject ends when it has read the object, which may be before the file is written.
// Amazon S3 answers when the next request finds the object.
function writeBeforeAnswering(store) {
  const put = store.putObject.bind(store);
  store.putObject = async (object) => {
    const result = await put(object);
    const file = store.getResourcePath(object.bucket, object.key, 'object');
    while (!fs.existsSync(file) || fs.statSync(file).size < result.size) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    return result;
  };
}

async function main() {
  const server = new S3rver({
    directory: folder,
    silent: true,
    vhostBuckets: false,
    configureBuckets: [{ name: bucket }],
  });
  // Known to s3rver by its form only, as said above.
  load('s3rver/lib/models/account').DUMMY_ACCOUNT.createKeyPair(accessKey, secretKey);
  writeBeforeAnswering(server.store);
  await server.configureBuckets();
  const answer = server.callback();
  const front = http.createServer(async (request, response) => {
    try {
      const body = await readBody(request);
      const code = await fault(request, body);
      if (code === undefined) {
        answer(withBody(request, body), response);
        return;
      }
      response.writeHead(code === 'BadDigest' ? 400 : 403, { 'content-type': 'application/xml' });
      response.end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
    } catch (error) {
      console.error(error);
      response.destroy();
    }
  });
  front.listen(0, '127.0.0.1', () => console.log(`listening ${front.address().port}`));
  process.stdin.on('end', () => process.exit(0));
  process.stdin.resume();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
