export interface ValWord {
  val: string;
  version?: number;
}

export function splitVersion(word: string): ValWord {
  const [, val, version] = /^(.+)@(\d+)$/.exec(word) ?? [];
  return val === undefined || version === undefined ? { val: word } : { val, version: Number(version) };
}
