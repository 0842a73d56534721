// What services of this kind accept. We warn; the service decides.

const longestCode = 256_000;
const longestReadme = 8_192;

export function checkName(name: string, warn: (message: string) => void): void {
  if (!/^[a-zA-Z][a-zA-Z0-9_]{0,47}$/.test(name)) {
    warn(`The service may refuse the name "${name}": 1 to 48 letters, digits and _, a letter first.`);
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
  if (readme !== undefined && readme.length > longestReadme) {
    warn(`The service may refuse the readme: ${readme.length} characters, and ${longestReadme} are usual.`);
  }
}
