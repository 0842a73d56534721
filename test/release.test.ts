import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { folderOf } from './support/program.ts';

it('npm version moves unreleased changes under the new version', async () => {
  const cwd = folderOf({
    'package.json': '{"version":"1.2.0"}',
    'CHANGELOG.md': '# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0 (2026-01-01)\n\n- Old.\n',
    'README.md': '`vals-0.1.0.tgz` and ./vals-0.1.0.tgz',
  });
  await execa(process.execPath, [resolve('.ci/release.mjs')], { cwd });
  const read = (name: string) => readFileSync(join(cwd, name), 'utf8');
  expect(read('CHANGELOG.md')).toMatch(
    /^# Changelog\n\n## Unreleased\n\n## 1\.2\.0 \(\d{4}-\d\d-\d\d\)\n\n- New\.\n\n## 0\.1\.0 \(2026-01-01\)\n\n- Old\.\n$/,
  );
  expect(read('README.md')).toBe('`vals-1.2.0.tgz` and ./vals-1.2.0.tgz');
});

it('the README names the tarball that npm pack makes', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const named = readFileSync('README.md', 'utf8').match(/vals-[\w.-]*\.tgz/g);
  expect(new Set(named)).toEqual(new Set([`vals-${version}.tgz`]));
});
