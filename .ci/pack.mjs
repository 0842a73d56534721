// npm runs this before and after `npm pack`, so that the packed package.json has no scripts and no development settings.
// npm would warn everybody who installs a package with a `prepare` script.
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
