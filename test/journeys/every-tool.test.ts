// The tools of agents, with those of a workspace and of a run.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connectAgent } from '../agents/clients.ts';
import { run, temporaryFolder } from '../support/program.ts';
import { usualFields } from '../support/strict/switches.ts';
import { startStrict } from '../support/strict-service.ts';

const first = 'export default () => 1;\n';
const second = 'export default () => 2;\n';

it('every tool can be called', async () => {
  const { env } = await startStrict({ ...usualFields, list: true, changeVal: true, recordRuns: true });
  const home = temporaryFolder();
  const cwd = temporaryFolder();
  await run(['init'], { cwd, home, env });
  writeFileSync(join(cwd, 'hello.ts'), first);
  const agent = await connectAgent(['--allow-delete', '--allow-public', '--allow-run'], { env, cwd, home });
  const called = new Set<string>();
  const call = async (name: string, input: Record<string, unknown> = {}) => {
    const { isError, document, texts } = await agent.call(name, input);
    called.add(name);
    expect([name, isError, document.error]).toEqual([name, false, undefined]);
    if (!('text' in document)) expect(JSON.parse(texts[0] ?? '')).toEqual(document);
    return document;
  };
  const changed = [{ diff: expect.stringContaining('+export default () => 2;') }];
  const calls: [name: string, input: Record<string, unknown>, result: object][] = [
    ['me', {}, { username: expect.any(String) }],
    ['push', {}, { items: [{ file: 'hello.ts', status: 'created' }] }],
    ['push', { name: 'other', code: first }, { items: [{ status: 'created' }] }],
    ['val_create', { name: 'third', code: first }, { name: 'third', code: first }],
    ['val_get', { val: 'third' }, { name: 'third', version: 1 }],
    ['val_get', { val: 'third', code: true }, { text: first }],
    ['val_set', { val: 'third', privacy: 'public' }, { privacy: 'public' }],
    ['ls', { limit: 2 }, { items: [{}, {}], more: true }],
    ['version_new', { val: 'hello', code: second, ifVersion: 1 }, { version: 2 }],
    ['version_ls', { val: 'hello' }, { items: [{ version: 2 }, { version: 1 }] }],
    ['version_get', { val: 'hello', version: 1 }, { code: first }],
    ['version_diff', { val: 'hello', a: 1, b: 2 }, { items: changed }],
    ['status', {}, { items: [{ file: 'hello.ts', status: 'changed there' }] }],
    ['diff', { vals: ['hello'] }, { items: [{ status: 'changed there' }] }],
    ['pull', {}, { items: [{ file: 'hello.ts', status: 'pulled' }] }],
    ['run', { val: 'hello' }, { value: 2, run: { error: null } }],
    ['runs', { run: 'hello' }, { items: [{ val: { version: 2 } }] }],
    ['runs', { run: 'hello', summary: true }, { items: [{ runs: 1, failed: 0 }] }],
    ['version_restore', { val: 'hello', version: 1 }, { version: 3, code: first }],
    ['version_rm', { val: 'hello', versions: [2] }, { items: [{ version: 2, status: 'deleted' }] }],
    ['val_rm', { vals: ['third', 'other'] }, { items: [{ status: 'deleted' }, { status: 'deleted' }] }],
  ];
  for (const [name, input, result] of calls) expect(await call(name, input), name).toMatchObject(result);
  const others = (await agent.listTools()).filter(({ name }) => !called.has(name));
  expect(others.length).toBeGreaterThan(0);
  for (const { name } of others) expect(await call(name)).toEqual({ items: [] });
});
