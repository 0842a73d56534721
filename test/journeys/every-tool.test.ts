// The tools of agents, with those of a workspace and of a run.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connectAgent, otherClients } from '../agents/clients.ts';
import { run, temporaryFolder } from '../support/program.ts';
import { startStrict } from '../support/strict-service.ts';

const first = 'export default () => 1;\n';
const second = 'export default () => 2;\n';

it.each(Object.entries(otherClients))('tools can be listed and called with %s', async (_name, client) => {
  const { env } = await startStrict({ list: true, changeVal: true, recordRuns: true });
  const agent = await connectAgent([], { env }, client());
  expect((await agent.listTools()).length).toBeGreaterThan(10);
  const { isError, document, texts } = await agent.call('push', { name: 'hello', code: first });
  expect({ isError, document }).toMatchObject({
    isError: false,
    document: { items: [{ status: 'created' }] },
  });
  expect(JSON.parse(texts[0] ?? '')).toEqual(document);
  expect(await agent.call('val_get', { val: 'nope' })).toMatchObject({ isError: true });
});

it('every tool can be called', async () => {
  const { env } = await startStrict({ list: true, changeVal: true, recordRuns: true });
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
  expect(await call('me')).toMatchObject({ username: expect.any(String) });
  expect(await call('push')).toMatchObject({ items: [{ file: 'hello.ts', status: 'created' }] });
  expect(await call('push', { name: 'other', code: first })).toMatchObject({
    items: [{ status: 'created' }],
  });
  expect(await call('val_create', { name: 'third', code: first })).toMatchObject({
    name: 'third',
    code: first,
  });
  expect(await call('val_get', { val: 'third' })).toMatchObject({ name: 'third', version: 1 });
  expect(await call('val_get', { val: 'third', code: true })).toEqual({ text: first });
  expect(await call('val_set', { val: 'third', privacy: 'public' })).toMatchObject({ privacy: 'public' });
  expect(await call('ls', { limit: 2 })).toMatchObject({ items: [{}, {}], more: true });
  expect(await call('version_new', { val: 'hello', code: second, ifVersion: 1 })).toMatchObject({
    version: 2,
  });
  expect(await call('version_ls', { val: 'hello' })).toMatchObject({
    items: [{ version: 2 }, { version: 1 }],
  });
  expect(await call('version_get', { val: 'hello', version: 1 })).toMatchObject({ code: first });
  expect(await call('version_diff', { val: 'hello', a: 1, b: 2 })).toMatchObject({
    items: [{ diff: expect.stringContaining('+export default () => 2;') }],
  });
  expect(await call('status')).toMatchObject({ items: [{ file: 'hello.ts', status: 'changed there' }] });
  expect(await call('diff', { vals: ['hello'] })).toMatchObject({ items: [{ status: 'changed there' }] });
  expect(await call('pull')).toMatchObject({ items: [{ file: 'hello.ts', status: 'pulled' }] });
  expect(await call('run', { val: 'hello.ts' })).toMatchObject({ value: 2, run: { error: null } });
  expect(await call('runs', { run: 'hello' })).toMatchObject({ items: [{ val: { version: 2 } }] });
  expect(await call('runs', { run: 'hello', summary: true })).toMatchObject({
    items: [{ runs: 1, failed: 0 }],
  });
  expect(await call('version_restore', { val: 'hello', version: 1 })).toMatchObject({
    version: 3,
    code: first,
  });
  expect(await call('version_rm', { val: 'hello', versions: [2] })).toMatchObject({
    items: [{ version: 2, status: 'deleted' }],
  });
  expect(await call('val_rm', { vals: ['third', 'other'] })).toMatchObject({
    items: [{ status: 'deleted' }, { status: 'deleted' }],
  });
  const others = (await agent.listTools()).filter(({ name }) => !called.has(name));
  expect(others.length).toBeGreaterThan(0);
  for (const { name } of others) expect(await call(name)).toEqual({ items: [] });
});
