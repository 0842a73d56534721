import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hasConflictMarkers } from '../../src/core/files/check-syntax.ts';
import { unifiedDiff } from '../../src/core/files/unified-diff.ts';
import { budget } from '../support/cases.ts';
import { temporaryFolder } from '../support/program.ts';
import { startStrict } from '../support/strict-service.ts';
import { Place, pushed, repository, serviceWith, withEverything, workspaceWith } from './places.ts';

it('status shows every status, and patch applies the output of diff', async () => {
  const names = ['same', 'here', 'there', 'both', 'missing', 'deleted', 'alike'];
  const text = (name: string) => `// ${name}\n1\n2\n3\n`;
  const service = await startStrict(withEverything);
  const place = repository(service.env, Object.fromEntries(names.map((name) => [`${name}.ts`, text(name)])));
  await place.rows(['push']);
  expect((await place.vals('status')).exit).toBe(0);
  expect(await place.vals('diff')).toMatchObject({ exit: 0, stdout: '', stderr: '' });

  place.put({ 'here.ts': 'here\n', 'both.ts': `${text('both')}4`, 'fresh.ts': 'fresh', 'alike.ts': 'alike' });
  service.edit('there', 'there\n');
  service.edit('both', `0\n${text('both')}`);
  service.edit('alike', 'alike');
  service.remove('deleted');
  place.remove('missing.ts');
  const expected = {
    'alike.ts': 'unchanged',
    'both.ts': 'conflict',
    'deleted.ts': 'conflict',
    'fresh.ts': 'new',
    'here.ts': 'changed here',
    'missing.ts': 'missing here',
    'same.ts': 'unchanged',
    'there.ts': 'changed there',
  };
  expect(await place.status()).toEqual(expected);
  expect(await place.rows(['status', 'here'])).toEqual([
    { file: 'here.ts', name: 'here', status: 'changed here', id: service.val('here').id, version: 1 },
  ]);
  expect(await place.rows(['status', 'here', 'both.ts', service.val('there').id])).toMatchObject([
    { file: 'both.ts', status: 'conflict', reason: 'both changed' },
    { file: 'here.ts', status: 'changed here' },
    { file: 'there.ts', status: 'changed there' },
  ]);

  const diff = (await place.vals('diff')).stdout;
  const there = temporaryFolder();
  for (const name of ['same', 'here', 'there', 'both', 'missing', 'alike'])
    writeFileSync(join(there, `${name}.ts`), service.code(name));
  patch(there, diff);
  const left = readdirSync(there).sort();
  expect(left).toEqual(['alike.ts', 'both.ts', 'deleted.ts', 'fresh.ts', 'here.ts', 'same.ts', 'there.ts']);
  for (const file of left) expect(new Place(there, {}).read(file)).toBe(place.read(file));
  const records = await place.rows(['diff']);
  expect(records.map(({ diff }) => diff).join('')).toBe(diff);
  expect(Object.keys(records[0] ?? {})).toEqual(['file', 'name', 'status', 'reason', 'diff']);
});

it('status, diff and pull take every word for a val that other commands take', async () => {
  const { place, service } = await pushed({ 'lib/a.ts': 'a' }, await startStrict(withEverything));
  const { id } = service.edit('a', 'a2');
  service.switches.alias = true;
  for (const word of ['a', 'lib/a.ts', id, id.slice(0, 8), '@ada/a']) {
    expect(await place.words(['status', word]), word).toEqual({ 'lib/a.ts': 'changed there' });
    expect((await place.vals('diff', word)).stdout, word).toContain('+a');
    expect(await place.words(['pull', word, '--dry-run']), word).toEqual({ 'lib/a.ts': 'planned' });
  }
});

it('status shows the other vals if a file cannot be read, and not a val that is gone on both sides', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b', 'gone.ts': 'c' });
  place.put({ 'b.ts': Buffer.from([0xff, 0xfe, 0xfa]) });
  expect(await place.words(['status'], 10)).toEqual({ 'a.ts': 'unchanged', 'gone.ts': 'unchanged' });
  place.put({ 'b.ts': 'b' });
  service.remove('gone');
  place.remove('gone.ts');
  const { screen } = await place.onScreen(['status']);
  expect(screen).toContain('All 2 vals of the workspace are unchanged');
  expect((await place.vals('diff')).stderr).toBe('');
  for (const args of [['pull'], ['push', 'a.ts']]) await place.rows(args);
  expect(await place.words(['push'])).toEqual({ 'a.ts': 'unchanged', 'b.ts': 'unchanged' });
});

it('status shows differences first, and diff has colours and escapes control characters', async () => {
  const { place } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
  place.put({ 'b.ts': 'b\u001b[2J\u202e\n' });
  const onScreen = (...args: string[]) => place.onScreen(args, { columns: 100 });
  const { screen, exit } = await onScreen('status');
  expect(exit).toBe(0);
  expect(screen).toContain('\u001b[32m> changed here');
  expect(screen.indexOf('> changed here')).toBeLessThan(screen.indexOf('= 1 unchanged'));
  const { screen: diff } = await onScreen('diff');
  expect(diff).toContain('\u001b[32m+b\\u001b[2J\\u202e');
  expect(diff).toContain('\u001b[31m-b');
  expect((await onScreen('diff', '--no-color')).screen).toContain('\n+b\\u001b[2J');
  await place.rows(['push', '--no-check']);
  expect((await onScreen('push')).screen).toContain('Nothing to push.');
  expect((await onScreen('status')).screen).toMatch(
    /All 2 vals of the workspace are unchanged \(http:\/\/127\.0\.0\.1:\d+\)\.\r\n$/,
  );
});

it('a val whose versions are gone by the time they are asked for stops no other val', async () => {
  const service = await serviceWith(({ path }) =>
    /versions/.test(path) ? { status: 404, body: {} } : undefined,
  );
  service.edit('a', 'theirs');
  const place = workspaceWith(service.env, { 'a.ts': 'mine', 'b.ts': 'b' });
  expect(await place.status()).toEqual({ 'a.ts': 'conflict', 'b.ts': 'new' });
});

const lines = ['a\n', 'b\n', '\n', 'c\r\n', 'é\u2028\n', '-- d\n', '+e\r\n', '@@ f\n', '\t g\n', '\\ h\n'];
const line = fc.constantFrom(...lines);
const text = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom('', 'end', 'end\r', '\u0000x'))
  .map(([lines, end]) => lines.join('') + end);

function patch(folder: string, diff: string): void {
  const args = ['-p1', '--silent', '--binary', '--no-backup-if-mismatch'];
  execFileSync('patch', args, { cwd: folder, input: diff });
}

it('patch -p1 applies the diff of any two texts', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'hello world.ts');
  const isApplied = (before: string, after: string) => {
    const diff = unifiedDiff('hello world.ts', before, after);
    if (before === after) return diff === '';
    writeFileSync(path, before);
    patch(folder, diff);
    // The tool patch removes a file that becomes empty.
    return (existsSync(path) ? readFileSync(path, 'utf8') : '') === after;
  };
  expect(isApplied('x\n'.repeat(1_100), 'y\nz\n'.repeat(500))).toBe(true);
  fc.assert(fc.property(text, text, isApplied), { numRuns: budget(15), seed: 20_261_115 });
});

it('marks of git have seven signs, or more if both sides renamed the file', () => {
  const marked = (count: number) =>
    `${'<'.repeat(count)} HEAD:kappa.ts\na\n${'='.repeat(count)}\nb\n${'>'.repeat(count)} feature:lambda.ts\n`;
  expect([6, 7, 8, 9].map((count) => hasConflictMarkers(marked(count)))).toEqual([false, true, true, true]);
});
