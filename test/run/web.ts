import { createServer, type Server } from 'node:http';
import { listen } from '../support/listen.ts';

type Page = { type?: string; body?: string; status?: number; location?: string };

export async function webOf(pages: Record<string, Page>) {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const { type = 'text/javascript', body = '', status = 200, location } = pages[path] ?? { status: 404 };
    response.writeHead(status, { 'content-type': type, ...(location && { location }) }).end(body);
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  return { url, asked, pages };
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
