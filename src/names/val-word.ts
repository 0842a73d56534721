// A word that names a val, and perhaps one of its versions: `greet`, `greet@2`.

export interface ValWord {
  val: string;
  version?: string;
}

export function splitVersion(word: string): ValWord {
  const [, val, version] = /^(.+)@(\d+)$/.exec(word) ?? [];
  return val === undefined || version === undefined ? { val: word } : { val, version };
}
