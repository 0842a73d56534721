// Warns of names and sizes that the service may refuse.
import { longestCode, longestReadme, namePattern, nameRule } from '../../lib/val-limits.ts';

export function checkName(name: string, warn: (message: string) => void): void {
  if (!namePattern.test(name)) {
    warn(`The service may refuse the name "${name}": ${nameRule}.`);
  }
}

export function checkSizes(
  { code, readme }: { code: string; readme?: string },
  source: string,
  warn: (message: string) => void,
): void {
  if (code.length > longestCode) {
    warn(`${source} has ${code.length} characters of code. Services usually accept at most ${longestCode}.`);
  }
  checkReadme(readme, warn);
}

export function checkReadme(readme: string | undefined, warn: (message: string) => void): void {
  if (readme !== undefined && readme.length > longestReadme) {
    warn(`The readme has ${readme.length} characters. Services usually accept at most ${longestReadme}.`);
  }
}
