// The text of THIRD-PARTY-NOTICES: name, version and licence of each package that is bundled.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const line = '-'.repeat(80);

/**
 * @param {readonly import('esbuild').Metafile[]} metafiles
 * @param {readonly string[]} comments legal comments that esbuild took out of the code
 */
export function noticesFor(metafiles, comments) {
  const packages = [...new Set(metafiles.flatMap(packageFolders))].sort();
  return [
    'vals contains code of the following packages, each under its own licence.\n',
    ...packages.map(noticeOf),
    ...new Set(comments.map((comment) => `${comment.trim()}\n`)),
  ].join(`\n${line}\n\n`);
}

/** @param {import('esbuild').Metafile} metafile */
function packageFolders({ outputs }) {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  );
}

/** @param {string} folder */
function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
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
