import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { folderOf } from './support/program.ts';

async function release(changelog: string) {
  const folder = folderOf({
    'package.json': '{"version":"1.2.0"}',
    'CHANGELOG.md': changelog,
    'README.md': '`vals-0.1.0.tgz` and ./vals-0.1.0.tgz',
  });
  const result = await execa(process.execPath, [resolve('.ci/release.mjs')], { cwd: folder, reject: false });
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  return {
    failed: result.failed,
    changelog: read('CHANGELOG.md'),
    readme: read('README.md'),
  };
}

it('npm version moves unreleased changes under the new version', async () => {
  const { failed, changelog, readme } = await release(
    '# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0 (2026-01-01)\n\n- Old.\n',
  );
  expect(failed).toBe(false);
  expect(changelog).toMatch(
    /^# Changelog\n\n## Unreleased\n\n## 1\.2\.0 \(\d{4}-\d\d-\d\d\)\n\n- New\.\n\n## 0\.1\.0 \(2026-01-01\)\n\n- Old\.\n$/,
  );
  expect(readme).toBe('`vals-1.2.0.tgz` and ./vals-1.2.0.tgz');
});

it('npm version refuses a release without a change in CHANGELOG.md', async () => {
  const before = '# Changelog\n\n## Unreleased\n\n## 0.1.0 (2026-01-01)\n\n- Old.\n';
  expect(await release(before)).toMatchObject({ failed: true, changelog: before });
});

it('the README names the tarball that npm pack makes', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const named = readFileSync('README.md', 'utf8').match(/vals-[\w.-]*\.tgz/g);
  expect(new Set(named)).toEqual(new Set([`vals-${version}.tgz`]));
});
