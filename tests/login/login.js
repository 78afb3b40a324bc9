// The steps of login_test.sh: node login.js GPROFHUB
import {spawn} from 'node:child_process';
import {createHash, createHmac, createSign, generateKeyPairSync, randomBytes} from 'node:crypto';
import {writeFileSync} from 'node:fs';
import {createServer} from 'node:net';
import {CLIENT, Issuer, OTHER_CLIENT, SECRET} from './issuer.js';

let failures = 0;
function check(name, good, detail = '') {
  console.log(`${good ? 'PASS' : 'FAIL'}: ${name}${good ? '' : ` ${detail}`}`);
  if (!good) failures += 1;
}

// A browser follows redirects by hand, with one jar of cookies for each origin.
class Browser {
  jars = new Map();

  async open(url, form) {
    const jar = this.jars.get(new URL(url).origin) ?? new Map();
    this.jars.set(new URL(url).origin, jar);
    const answer = await fetch(url, {
      method: form ? 'POST' : 'GET', redirect: 'manual', body: form && new URLSearchParams(form),
      headers: {cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ')},
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [name, value] = cookie.split(';')[0].split(/=(.*)/s);
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    const location = answer.headers.get('location');
    return {
      status: answer.status, text: await answer.text(),
      next: location && new URL(location, url).href,
    };
  }
}

// From the issuer's page to the redirect back, which is not followed.
async function passIssuer(browser, url, user, back) {
  for (let i = 0; i < 20; ++i) {
    if (url.startsWith(back)) return url;
    const answer = await browser.open(url);
    if (answer.next) {
      url = answer.next;
      continue;
    }
    const action = /<form[^>]*action="([^"]+)"/.exec(answer.text);
    if (!action) throw new Error(`${url}: ${answer.status} ${answer.text.slice(0, 300)}`);
    const prompt = /name="prompt" value="(\w+)"/.exec(answer.text)[1];
    url = (await browser.open(new URL(action[1], url).href, {prompt, login: user, password: 'x'})).next;
  }
  throw new Error('the issuer does not come to an end');
}

const base64url = (value) => Buffer.from(
  typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

function partsOf(token) {
  const [header, claims] = token.split('.').slice(0, 2).map(
    (part) => JSON.parse(Buffer.from(part, 'base64url')));
  return {header, claims};
}

function sign(header, claims, key) {
  const text = `${base64url(header)}.${base64url(claims)}`;
  return `${text}.${createSign('sha256').update(text).sign(key, 'base64url')}`;
}

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const {port} = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

const pages = `http://127.0.0.1:${await freePort()}`;
const back = `${pages}/login/done`;
const otherBack = 'http://127.0.0.1:1/other';
const issuer = new Issuer();
await issuer.start([back, otherBack]);
writeFileSync('secret', SECRET);
const server = spawn(process.argv[2], [
  'serve', '--data-dir', 'data', '--listen', '127.0.0.1:0', '--http', new URL(pages).host,
  '--http-url', pages, '--http-login-issuer', issuer.url, '--http-login-client', CLIENT,
  '--http-login-secret-file', 'secret', '--http-login-user', '*@acme.example',
], {stdio: ['ignore', 'pipe', 'pipe']});
let log = '';
const ended = new Promise((done) => server.on('exit', done));
await new Promise((done) => {
  for (const stream of [server.stdout, server.stderr]) {
    stream.on('data', (text) => {
      log += text;
      if (/pages on http/.test(log)) done();
    });
  }
  ended.then(done);
});

const begin = async (browser) => (await browser.open(`${pages}/login/issuer?next=%2F`)).next;
const isIn = async (browser, user) => (await browser.open(`${pages}/`)).text.includes(
  `${user}@acme.example`);
// Logs in. `change` makes another address of the one that the issuer redirects to.
async function logIn(user, change = (url) => url) {
  const browser = new Browser();
  const returned = await passIssuer(browser, await begin(browser), user, back);
  const answer = await browser.open(change(returned));
  return {browser, returned, answer, ok: await isIn(browser, user)};
}
async function refused(name, forge, user = 'ann') {
  issuer.forge = forge;
  const {ok, answer} = await logIn(user);
  issuer.forge = null;
  check(name, !ok && answer.status < 500, `status ${answer.status}, logged in: ${ok}`);
}

try {
  const good = await logIn('ann');
  check('a user of the issuer logs in', good.ok, `${good.answer.status} ${good.answer.text}`);

  const replayed = await good.browser.open(good.returned);
  check('an answer of the issuer counts once', replayed.status === 401, replayed.status);
  const thief = new Browser();
  await begin(thief);
  await thief.open(good.returned);
  check('the same answer in another browser', !(await isIn(thief, 'ann')));

  const victim = new Browser();
  const attacker = new Browser();
  await begin(victim);
  await victim.open(await passIssuer(attacker, await begin(attacker), 'mallory', back));
  check('an answer of another browser\'s log-in', !(await isIn(victim, 'mallory')));

  // The code of another log-in, with the state of this one: the challenge and the nonce differ.
  const spare = new Browser();
  const stolen = new URL(await passIssuer(spare, await begin(spare), 'ann', back));
  const injected = await logIn('mallory', (url) => {
    const changed = new URL(url);
    changed.searchParams.set('code', stolen.searchParams.get('code'));
    return changed.href;
  });
  check('a stolen code', !injected.ok && !(await isIn(injected.browser, 'ann')));
  for (const [name, value] of [['state', 'guessed'], ['state', ''], ['code', ''], ['code', 'x\r\nA: b']]) {
    const changed = await logIn('ann', (url) => {
      const other = new URL(url);
      other.searchParams.set(name, value);
      return other.href;
    });
    check(`${name} ${JSON.stringify(value)}`, !changed.ok && changed.answer.status < 500);
  }

  // A real token of this issuer for its other client.
  const verifier = randomBytes(32).toString('base64url');
  const ask = new URL(`${issuer.url}/auth`);
  ask.search = new URLSearchParams({
    client_id: OTHER_CLIENT, redirect_uri: otherBack, response_type: 'code', scope: 'openid email',
    state: 's', nonce: 'n', code_challenge_method: 'S256',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  });
  const code = new URL(await passIssuer(new Browser(), ask.href, 'ann', otherBack)).searchParams.get('code');
  const basic = [OTHER_CLIENT, SECRET].map(encodeURIComponent).join(':');
  const foreign = await (await fetch(`${issuer.url}/token`, {
    method: 'POST',
    headers: {authorization: `Basic ${Buffer.from(basic).toString('base64')}`},
    body: new URLSearchParams({grant_type: 'authorization_code', code, redirect_uri: otherBack, code_verifier: verifier}),
  })).json();
  check('the issuer serves another client', typeof foreign.id_token === 'string', JSON.stringify(foreign));
  await refused('tokens of another client', () => foreign);
  await refused('the access token of another user', (body) => ({...body, access_token: foreign.access_token}), 'mallory');
  await refused('an access token that is made up', (body) => ({...body, access_token: 'x\r\nHost: y'}));

  const {privateKey} = generateKeyPairSync('rsa', {modulusLength: 2048});
  const real = {key: issuer.key, format: 'jwk'};
  const withToken = (make) => (body) => {
    const {header, claims} = partsOf(body.id_token);
    return {...body, id_token: make(header, claims, body.id_token)};
  };
  await refused('alg none', withToken((header, claims) =>
    `${base64url({...header, alg: 'none'})}.${base64url(claims)}.`));
  await refused('HS256 with the client\'s secret', withToken((header, claims) => {
    const text = `${base64url({...header, alg: 'HS256'})}.${base64url(claims)}`;
    return `${text}.${createHmac('sha256', SECRET).update(text).digest('base64url')}`;
  }));
  await refused('another key under the same name', withToken((header, claims) =>
    sign(header, claims, privateKey)));
  await refused('a key within the token', withToken((header, claims) =>
    sign({...header, jwk: {kty: 'RSA', n: issuer.key.n, e: issuer.key.e}}, claims, privateKey)));
  await refused('a changed subject', withToken((header, claims, token) =>
    [base64url(header), base64url({...claims, sub: 'root'}), token.split('.')[2]].join('.')));
  const now = Math.floor(Date.now() / 1000);
  for (const change of [{exp: now - 3600}, {exp: undefined}, {iat: now + 3600}, {nonce: 'other'},
    {nonce: undefined}, {aud: OTHER_CLIENT}, {aud: [CLIENT, OTHER_CLIENT]}, {azp: OTHER_CLIENT},
    {iss: 'http://127.0.0.1:1'}, {iss: `${issuer.url}/`}]) {
    await refused(`signed, with ${JSON.stringify(change, (_, value) => value ?? 'absent')}`, withToken((header, claims) =>
      sign(header, {...claims, ...change}, real)));
  }
  await refused('an address that is not verified', null, 'unverified');
  await refused('no ID token', ({id_token: _, ...rest}) => rest);
  await refused('an answer that is not JSON', () => '<html>');

  issuer.serve({conformIdTokenClaims: false});
  check('an issuer that puts the address into its ID tokens', (await logIn('ann')).ok);
  await refused('the same, and an address that is not verified', null, 'unverified');

  // Rotation while in use: known keys are asked again at most once a minute.
  const before = issuer.tokenRequests;
  issuer.rotate('second');
  const early = await logIn('ann');
  check('a new key within a minute of the last look', early.answer.status < 500 &&
    issuer.tokenRequests > before, early.answer.status);
  check('the session of before stays', await isIn(good.browser, 'ann'));
  check('the server lives', server.exitCode === null, log);
} finally {
  server.kill();
  await ended;
  issuer.stop();
}
if (failures > 0) console.log(log);
process.exit(failures > 0 ? 1 : 0);
