// Run by npm around `npm pack`: the packed package.json has no scripts and no development settings, which are of no use there.
// npm warns those who install a package with a `prepare` script.
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
