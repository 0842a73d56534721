// `npm version` runs this file before it commits.
import { readFileSync, writeFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const date = new Date().toISOString().slice(0, 10);
const heading = '## Unreleased\n';

change('CHANGELOG.md', (text) => {
  const unreleased = text.split(/^(?=## )/m).find((section) => section.startsWith(heading));
  if (!unreleased?.slice(heading.length).trim()) {
    throw new Error(
      'CHANGELOG.md has nothing under "## Unreleased". Describe the changes there, then run `npm version` again.',
    );
  }
  return text.replace(heading, `${heading}\n## ${version} (${date})\n`);
});
change('README.md', (text) => text.replace(/vals-\d\S*\.tgz/g, `vals-${version}.tgz`));

function change(file, edit) {
  writeFileSync(file, edit(readFileSync(file, 'utf8')));
}
