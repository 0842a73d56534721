export const fold = (text: string): string =>
  text.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC');

const longestNameBytes = 200;
const holdsInvisible = (name: string): boolean => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/u.test(name);
const windowsDevice = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])\s*(?:\.|$)/i;
const windowsShortName = /^[^.]{1,6}~\d/;

export function nameProblem(name: string, platform = process.platform): string | undefined {
  if (name === '') return 'is empty';
  // Comes before `fold`, which would take hours for a name with millions of accents.
  if (Buffer.byteLength(name) > longestNameBytes) return `is longer than ${longestNameBytes} bytes`;
  if (holdsInvisible(name)) return 'contains invisible characters';
  if (/[/\\:]/.test(name)) return 'contains /, \\ or :';
  if (platform === 'win32' && /[<>"|?*]/.test(name)) return 'contains <, >, ", |, ? or *';
  if (name.startsWith('.')) return 'begins with a dot';
  if (/^\s|[\s.]$/.test(name)) return 'begins with a space, or ends with a space or a dot';
  if (windowsDevice.test(name)) return 'is reserved for a device on Windows';
  if (windowsShortName.test(name)) return 'may be the short name of another file on Windows';
  if (fold(name) === 'node_modules') return 'is reserved for installed packages';
  return undefined;
}

export function pathProblem(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) return 'is not below the workspace';
  for (const part of path.split('/')) {
    if (part === '..') return 'leads out of the workspace';
    const problem = nameProblem(part);
    if (problem !== undefined) return part === path ? problem : `has a part, "${part}", that ${problem}`;
  }
  return fold(path) === 'vals.json' ? 'is the path of vals.json itself' : undefined;
}
