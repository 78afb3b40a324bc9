// An issuer on loopback with two clients. Its token endpoint's answers can be replaced.
import {createServer} from 'node:http';
import {generateKeyPairSync} from 'node:crypto';
import Provider from 'oidc-provider';

// The provider's advice for production.
console.info = console.warn = () => {};

export const CLIENT = 'gprofhub';
export const OTHER_CLIENT = 'other';
export const SECRET = 's e:cret+%/';

function makeKey(kid) {
  const {privateKey} = generateKeyPairSync('rsa', {modulusLength: 2048});
  return {...privateKey.export({format: 'jwk'}), kid, use: 'sig', alg: 'RS256'};
}

export class Issuer {
  // Replaces the token endpoint's answer: a function from it to another.
  forge = null;
  tokenRequests = 0;

  async start(redirects) {
    this.server = createServer((request, response) => this.handle(request, response));
    await new Promise((done) => this.server.listen(0, '127.0.0.1', done));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    this.redirects = redirects;
    this.rotate('first');
  }

  rotate(kid) {
    this.key = makeKey(kid);
    this.serve({});
  }

  // Codes and sessions of before are gone.
  serve(options) {
    const client = (id, redirect) => ({
      client_id: id, client_secret: SECRET, redirect_uris: [redirect],
      token_endpoint_auth_method: 'client_secret_basic',
    });
    const provider = new Provider(this.url, {
      clients: [client(CLIENT, this.redirects[0]), client(OTHER_CLIENT, this.redirects[1])],
      jwks: {keys: [this.key]},
      claims: {openid: ['sub'], email: ['email', 'email_verified']},
      pkce: {required: () => true, methods: ['S256']},
      cookies: {keys: ['only for the test']},
      findAccount: (_, id) => ({
        accountId: id,
        claims: () => ({sub: id, email: `${id}@acme.example`, email_verified: id !== 'unverified'}),
      }),
      ...options,
    });
    provider.use(async (context, next) => {
      await next();
      if (context.path !== '/token') return;
      this.tokenRequests += 1;
      if (this.forge && context.status === 200) context.body = this.forge(context.body);
    });
    this.handle = provider.callback();
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }
}
