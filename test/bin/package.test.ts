import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { has } from '../support/features.ts';

interface Component {
  name: string;
  version: string;
  licenses: [{ license?: { id: string }; expression?: string }];
}

it('sbom.cdx.json is packed, and is a valid CycloneDX document', () => {
  const schemas = dirname(
    createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-library/package.json'),
  );
  const schemaOf = (name: string) =>
    JSON.parse(readFileSync(join(schemas, 'res/schema', `${name}.SNAPSHOT.schema.json`), 'utf8'));
  const ajv = new Ajv({ strict: false, validateFormats: false });
  for (const name of ['spdx', 'jsf-0.82', 'cryptography-defs']) {
    ajv.addSchema({ ...schemaOf(name), $id: `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json` });
  }
  const isValid = ajv.compile(schemaOf('bom-1.6'));
  isValid(JSON.parse(readFileSync('sbom.cdx.json', 'utf8')));
  expect(isValid.errors).toBe(null);
  expect(isValid({ bomFormat: 'CycloneDX', specVersion: '1.6', components: [{}] })).toBe(false);
  expect(JSON.parse(readFileSync('package.json', 'utf8')).files).toContain('sbom.cdx.json');
});

it('THIRD-PARTY-NOTICES is packed, and names the packages whose code is in the bundles', async () => {
  const { outputFiles } = await build({
    entryPoints: ['src/main.ts', 'src/**/*.entry.ts'],
    bundle: true,
    write: false,
    outdir: 'bundles',
    platform: 'node',
    external: ['libsql', 'pg-native', 'esbuild'],
  });
  // Before each file that it bundles, esbuild writes a comment with the file's path.
  const folders = outputFiles.flatMap(({ text }) =>
    [...text.matchAll(/^ *\/\/ ((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)/gm)].map(([, folder]) => folder),
  );
  const packages = [...new Set(folders)].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
    return `${name} ${version} (${license})`;
  });
  expect(packages.length).toBeGreaterThan(40);
  const { components } = JSON.parse(readFileSync('sbom.cdx.json', 'utf8'));
  const listed = components.map(
    ({ name, version, licenses: [{ license, expression }] }: Component) =>
      `${name} ${version} (${license?.id ?? expression})`,
  );
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const installed = Object.entries(dependencies).map(([name, version]) => `${name} ${version} (MIT)`);
  expect(installed).toHaveLength(2);
  expect(listed.sort()).toEqual([...packages, ...installed].sort());
  const notices = readFileSync('THIRD-PARTY-NOTICES', 'utf8').split(/\n-{80}\n\n/);
  const headings = notices.slice(1).map((notice) => notice.split('\n', 1)[0] ?? '');
  expect(headings.filter((heading) => heading.endsWith(')')).sort()).toEqual(packages.sort());
  const withMit = ['chalk', 'undici', ...(has('service') ? ['pg-types'] : [])];
  for (const name of withMit)
    expect(notices.find((notice) => notice.startsWith(`${name} `))).toContain('without restriction');
  expect(JSON.parse(readFileSync('package.json', 'utf8')).files).toContain('THIRD-PARTY-NOTICES');
});
