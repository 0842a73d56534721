import { stripVTControlCharacters } from 'node:util';
import type { Reply } from '../../support/scripted-service.ts';
import { withResolvers } from '../../support/with-resolvers.ts';

export type Row = Record<string, unknown>;

export const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
export const hello = { id, name: 'hello', privacy: 'public', version: 3, code: 'export default 1' };
export const list = (rows: readonly Row[]): Reply => ({ body: { data: rows, links: {} } });

export function held(body: unknown): { reply: Reply; open: () => void } {
  const { promise: opened, resolve: open } = withResolvers();
  const reply: Reply = (response) => void opened.then(() => response.end(JSON.stringify(body)));
  return { reply, open: () => open() };
}

export const plain = (screen: string): string => screen.replaceAll('\r\n', '\n');
export const bare = (screen: string): string => plain(stripVTControlCharacters(screen));
export const lines = (screen: string): string[] => bare(screen).replace(/\n$/, '').split('\n');

export const moving =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

export const decoded = (field: string): string =>
  field.replace(/\\(u[0-9a-f]{4}|.)/gs, (_match, form: string) => {
    const short: Record<string, string> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };
    return short[form] ?? String.fromCharCode(Number.parseInt(form.slice(1), 16));
  });

export const tabRows = (text: string): string[][] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t').map(decoded));
