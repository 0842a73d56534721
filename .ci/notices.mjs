// What the package says of other packages: THIRD-PARTY-NOTICES with the licences of those that are bundled into it, and an SBOM
// (CycloneDX) of these and of those that npm installs beside it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const line = '-'.repeat(80);

/**
 * @param {readonly import('esbuild').Metafile[]} metafiles
 * @param {readonly string[]} comments legal comments that esbuild took out of the code
 */
export function noticesFor(metafiles, comments) {
  return [
    'vals contains code of the following packages, each under its own licence.\n',
    ...bundledPackages(metafiles).map(noticeOf),
    ...new Set(comments.map((comment) => `${comment.trim()}\n`)),
  ].join(`\n${line}\n\n`);
}

/**
 * @param {readonly import('esbuild').Metafile[]} metafiles
 * @param {{ name: string, version: string, license: string, dependencies: Record<string, string> }} program
 */
export function sbomFor(metafiles, program) {
  const installed = Object.keys(program.dependencies).map((name) => join('node_modules', name));
  const folders = [...bundledPackages(metafiles), ...installed];
  const components = folders.map((folder) => componentOf('library', packageIn(folder)));
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: componentOf('application', program) },
    components,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/**
 * @param {'application' | 'library'} type
 * @param {{ name: string, version: string, license: string }} of
 */
function componentOf(type, { name, version, license }) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const isExpression = / (?:OR|AND|WITH) /.test(license);
  const licenses = [isExpression ? { expression: license } : { license: { id: license } }];
  return { type, 'bom-ref': purl, name, version, licenses, purl };
}

/** @param {readonly import('esbuild').Metafile[]} metafiles */
const bundledPackages = (metafiles) => [...new Set(metafiles.flatMap(packageFolders))].sort();

/** @param {string} folder */
const packageIn = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** @param {import('esbuild').Metafile} metafile */
function packageFolders({ outputs }) {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  );
}

/** @param {string} folder */
function noticeOf(folder) {
  const { name, version, license } = packageIn(folder);
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8'));
  const text = texts.length > 0 ? texts.join('\n') : licenceInReadme(folder);
  if (!license || !text) throw new Error(`The package in ${folder} has no licence.`);
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
}

/** @param {string} folder */
function licenceInReadme(folder) {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  return /^#+ *licen[cs]e\s([^#]+)/im.exec(readme)?.[1];
}
