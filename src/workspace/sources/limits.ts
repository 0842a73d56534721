// Warns before something is sent that the service may refuse.
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
    warn(
      `The service may refuse ${source}: ${code.length} characters of code, and ${longestCode} are usual.`,
    );
  }
  checkReadme(readme, warn);
}

export function checkReadme(readme: string | undefined, warn: (message: string) => void): void {
  if (readme !== undefined && readme.length > longestReadme) {
    warn(`The service may refuse the readme: ${readme.length} characters, and ${longestReadme} are usual.`);
  }
}
