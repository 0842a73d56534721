// Which names may become files: those that every system takes for a plain file below the workspace's root.

/** File systems take large for small letters, or one Unicode form for another: alike here may be one file there. */
export const fold = (text: string): string =>
  text.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC');

const longestNameBytes = 200;
/** Each folder of a path is opened on its own, so the depth of a path is limited: a tree of n folders takes n steps. */
export const mostFolders = 64;
/** Made when it is asked for: to make it takes some 2 % of a start. */
const holdsInvisible = (name: string): boolean => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/u.test(name);
const windowsDevice = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])\s*(?:\.|$)/i;
/** Under such a name Windows finds `.git` too. */
const windowsShortName = /^[^.]{1,6}~\d/;

/** Why a name cannot be that of a file; undefined where it can. */
export function nameProblem(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (holdsInvisible(name)) return 'holds characters that cannot be seen';
  if (/[/\\:]/.test(name)) return 'holds /, \\ or :';
  if (name.startsWith('.')) return 'begins with a dot';
  if (/^\s|[\s.]$/.test(name)) return 'begins with a space, or ends with a space or a dot';
  if (windowsDevice.test(name)) return 'belongs to a device on Windows';
  if (windowsShortName.test(name)) return 'may be the short name of another file on Windows';
  if (fold(name) === 'node_modules') return 'belongs to the folder for packages';
  if (Buffer.byteLength(name) > longestNameBytes) return `is longer than ${longestNameBytes} bytes`;
  return undefined;
}

/** The same for a path below the root, with / between its parts. */
export function pathProblem(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) return 'is not below the workspace';
  const parts = path.split('/');
  if (parts.length - 1 > mostFolders) return `is more than ${mostFolders} folders deep`;
  for (const part of parts) {
    if (part === '..') return 'leads out of the workspace';
    const problem = nameProblem(part);
    if (problem !== undefined) return part === path ? problem : `has a part, "${part}", that ${problem}`;
  }
  return fold(path) === 'vals.json' ? 'is the path of vals.json itself' : undefined;
}
