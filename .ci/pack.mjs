// npm runs this file before and after `npm pack`. The packed package.json must have no scripts, because npm warns
// everybody who installs a package with a `prepare` script.
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const [step] = process.argv.slice(2);
const saved = 'package.json.saved';

if (step === 'before') {
  copyFileSync('package.json', saved);
  const { scripts, devDependencies, overrides, ...published } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  );
  writeFileSync('package.json', `${JSON.stringify(published, null, 2)}\n`);
} else {
  renameSync(saved, 'package.json');
}
