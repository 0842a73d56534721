import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { hasAll } from './support/features.ts';

const pages = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  ...readdirSync('docs').map((name) => `docs/${name}`),
];

/** As the pages of a repository make it from a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const anchorsIn = (page: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

/** The page of a feature may have been deleted with it. */
const isOfFeature = (file: string): boolean => !hasAll && /^src\/\w+\/README\.md$/.test(file);

it.each(pages.filter((name) => name.endsWith('.md')))('each link in %s leads somewhere', (page) => {
  const links = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const broken = links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    if (isOfFeature(file)) return false;
    return !existsSync(file) || (anchor !== undefined && !anchorsIn(file).includes(anchor));
  });
  expect(broken).toEqual([]);
});

const features = ['agents', 'run', 'service', 'workspace'];
const house = ['CONTRIBUTING.md', 'docs/design.md', ...features.map((name) => `src/${name}/README.md`)];

it.runIf(hasAll).each(house)('each file of the house that %s names is there', (page) => {
  const files = ['bin', 'src', 'test', '.ci', '.'].flatMap((folder) =>
    readdirSync(folder, { recursive: folder !== '.' }).map((file) => `/${join(folder, String(file))}`),
  );
  const text = readFileSync(page, 'utf8');
  const bare = [...text.matchAll(/`([\w./-]+\.(?:ts|mts|mjs))`/g)].map(([, name = '']) => name);
  const missingFiles = bare.filter((name) => !files.some((file) => file.endsWith(`/${name}`)));
  const paths = [...text.matchAll(/(?<![\w./-])(?:src|test|docs|bench)\/[\w./-]*\w/g)].map(([path]) => path);
  expect([...missingFiles, ...paths.filter((path) => !existsSync(path))]).toEqual([]);
});
