// Which room may use which other, read from the imports of all files, imports of types included.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { coreCommands } from '../src/core/commands/core-commands.ts';
import { features as addedFeatures } from '../src/features.ts';
import { features } from './support/features.ts';

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:ts|mjs)$/.test(file))
    .map((file) => join(folder, file));

const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from |import\(|^import )'(\.[^']+)'/gm)].map(([, path = '']) =>
    join(dirname(file), path),
  );

const files = filesIn('src');
const imports = new Map(files.map((file) => [file, importsOf(file)]));

/** From the top down. The rooms of one row stand on one level, and do not know each other. */
const levels = [
  ['commands'],
  ['push'],
  ['command-line'],
  ['failures'],
  ['find-val', 'files'],
  ['http', 'output', 'settings'],
  ['errors'],
  ['lib'],
];

/** `core/http`, `run`, or the name of a file beside them, such as `main`. */
function roomOf(file: string): string {
  const [, first = '', second = ''] = file.split('/');
  if (first !== 'core') return first.replace(/\.ts$/, '');
  return second === 'routes.ts' ? 'core/http' : `core/${second.replace(/\.ts$/, '')}`;
}

const levelOf = (room: string): number =>
  levels.findIndex((rooms) => rooms.includes(room.replace('core/', '')));

function isAllowed(from: string, to: string): boolean {
  if (from === to) return true;
  if (to.startsWith('core/')) return !from.startsWith('core/') || levelOf(from) < levelOf(to);
  const knowsAll = !from.startsWith('core/') && !features.includes(from);
  return knowsAll;
}

test('core uses nothing of a feature, no feature uses another, and in core each room uses only rooms below it', () => {
  const wrong = files.flatMap((file) =>
    (imports.get(file) ?? [])
      .filter((other) => !isAllowed(roomOf(file), roomOf(other)))
      .map((other) => `${file} -> ${other}`),
  );
  expect(wrong.join('\n')).toBe('');
});

test('no files import each other in a circle', () => {
  const done = new Set<string>();
  const circles: string[] = [];
  function visit(file: string, path: readonly string[]): void {
    const start = path.indexOf(file);
    if (start !== -1) circles.push([...path.slice(start), file].join(' -> '));
    if (start !== -1 || done.has(file)) return;
    for (const other of imports.get(file) ?? []) visit(other, [...path, file]);
    done.add(file);
  }
  for (const file of files) visit(file, []);
  expect(circles.join('\n')).toBe('');
});

test('three commands of core are extended, and there are two hooks', () => {
  const core = coreCommands.map(({ path }) => path);
  const added = addedFeatures.flatMap(({ commands }) => commands.map(({ path }) => path));
  const hooks = addedFeatures.flatMap(({ commands, ...hooks }) => Object.keys(hooks));
  // Without a feature there are fewer.
  expect(['push', 'val rm', 'val set']).toEqual(
    expect.arrayContaining(added.filter((path) => core.includes(path))),
  );
  expect(['openFiles', 'openLocal']).toEqual(expect.arrayContaining(hooks));
});

/** What stands in quotes, without comments and imports. */
function literalsOf(file: string): string[] {
  const code = readFileSync(file, 'utf8')
    .replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '')
    .replaceAll(/(?:from |import\(|require\(|import )'[^']*'/g, '');
  return code.match(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g) ?? [];
}

test('the sentences of core know no feature', () => {
  const ofCore = coreCommands.map(({ path }) => path.split(' ', 1).join());
  const ofFeatures = addedFeatures.flatMap(({ commands }) =>
    commands.map(({ path }) => path.split(' ', 1).join()),
  );
  // The service that goes on is what somebody needs whom --local does not help.
  const others = ofFeatures.filter((word) => !ofCore.includes(word) && word !== 'serve').join('|') || 'none';
  const word = new RegExp(
    `nginx|urn:|vals\\.json|(?<![-/\\w])agents?\\b|vals (?:${others})\\b|\\$\\{\\['(?:${others})'`,
    'i',
  );
  const wrong = files
    .filter((file) => file.startsWith('src/core/'))
    .flatMap((file) => literalsOf(file).map((literal) => `${file}: ${literal}`))
    .filter((literal) => word.test(literal));
  // A name of a file, which marks a folder as .git does.
  expect(wrong).toEqual(["src/core/files/root.ts: 'vals.json'"]);
});

/** The feature whose folder in src or test has the file. */
const featureOf = (file: string): string | undefined =>
  features.find((feature) => file.startsWith(`src/${feature}/`) || file.startsWith(`test/${feature}/`));

test('a test of core uses no feature, and a test of a feature only its own, so that both can be deleted', () => {
  const tests = filesIn('test').filter((file) => !file.startsWith('test/journeys/'));
  const wrong = ['vitest.config.mts', ...tests].flatMap((file) =>
    importsOf(file)
      .filter((other) => featureOf(other) !== undefined && featureOf(other) !== featureOf(file))
      .map((other) => `${file} -> ${other}`),
  );
  expect(wrong.join('\n')).toBe('');
});
