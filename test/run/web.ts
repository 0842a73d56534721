import { trusting } from '../support/certificates.ts';
import { tunnellingProxy } from '../support/proxy.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { secureService } from '../support/secure-service.ts';

type Page = { type?: string; body?: string; status?: number; location?: string };

export async function webOf(pages: Record<string, Page>) {
  const asked: string[] = [];
  const { baseUrl } = await scriptedService([], ({ path }) => {
    asked.push(path);
    const { type = 'text/javascript', body = '', status = 200, location } = pages[path] ?? { status: 404 };
    return { status, headers: { 'content-type': type, ...(location && { location }) }, body };
  });
  return { url: baseUrl, asked, pages };
}

/** The same as https://vals.test, for a val that is started with `env`. */
export async function secureWebOf(pages: Record<string, Page>) {
  const asked: string[] = [];
  const { port } = await secureService('good', {}, ({ url: path = '' }, response) => {
    asked.push(path);
    const { type = 'text/javascript', body = '', status = 200, location } = pages[path] ?? { status: 404 };
    response.writeHead(status, { 'content-type': type, ...(location && { location }) }).end(body);
  });
  const proxy = await tunnellingProxy(port);
  const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, ...trusting };
  return { url: 'https://vals.test', env, asked, pages };
}

export const pages = (): Record<string, Page> => ({
  '/greet': { status: 302, location: '/v2/greet.ts' },
  '/v2/greet.ts': {
    type: 'application/typescript',
    body: 'import { word } from "./word.jsx"; import { own } from "own"; import data from "/data.json";\nexport const greet = (name: string): string => word + own + name + data.n',
  },
  '/v2/word.jsx': { body: '/** @jsx String */ export const word = <hello /> + " "' },
  '/data.json': { type: 'application/json', body: '{"n":1}' },
  '/broken.ts': { type: 'application/typescript', body: 'export const x = ;' },
  '/throws.ts': { type: 'application/typescript', body: '\n  throw new Error("remote")' },
  '/relative.ts': { body: '1;\nimport "./absent.js"' },
  '/away': { status: 302, location: 'http://example.com/x.js' },
});
/** A package of the val, which a module on the web imports. */
export const own = {
  'node_modules/own/package.json': '{"name":"own","type":"module","exports":"./own.js"}',
  'node_modules/own/own.js': 'export const own = "dear "',
};
