import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { transform } from 'esbuild';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { folderOf } from '../support/program.ts';

const { neededNode } = createRequire(import.meta.url)('../../bin/check-node.js');

it.each([
  ['12.22.12', '20.18.1'],
  ['18.19.0', '20.18.1'],
  ['20.18.0', '20.18.1'],
  ['20.18.1', undefined],
  ['20.20.2', undefined],
  ['21.7.3', '22.12.0'],
  ['22.11.0', '22.12.0'],
  ['22.12.0', undefined],
  ['22.22.1', undefined],
  ['23.11.1', '24.0.0'],
  ['24.0.0', undefined],
  ['26.0.0-nightly', undefined],
])('on Node %s, vals needs %s', (version, needed) => {
  expect(neededNode(version)).toBe(needed);
});

it('the supported versions are those of package.json', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(engines.node).toBe('^20.18.1 || ^22.12.0 || >=24.0.0');
});

it.each(['bin/vals.js', 'bin/check-node.js'])('Node 12 can read %s', async (file) => {
  const source = readFileSync(file, 'utf8');
  const written = async (target: string) => (await transform(source, { target })).code;
  expect(await written('node12')).toBe(await written('esnext'));
  // Node 12 does not know the prefix.
  expect(source).not.toContain("'node:");
});

it.each(['--version', '--help', 'me'])('vals %s on a Node that is too old is exit 2', async (word) => {
  const folder = folderOf({
    'bin/vals.js': readFileSync('bin/vals.js', 'utf8'),
    'bin/check-node.js': readFileSync('bin/check-node.js', 'utf8').replace('[20, 18, 1]', '[1000, 0, 0]'),
  });
  const { exitCode, stderr, stdout } = await execa('node', ['bin/vals.js', word], {
    cwd: folder,
    reject: false,
  });
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `error: vals needs Node 1000.0.0 or later; this is ${process.versions.node}.\nhint: Install a newer Node, for example from https://nodejs.org.`,
  });
});
