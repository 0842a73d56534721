// Errors of the operating system.

/** The code, such as `ENOENT`; undefined if it has none. */
export const errnoOf = (error: unknown): string | undefined =>
  error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;

export const isMissing = (error: unknown): boolean => errnoOf(error) === 'ENOENT';

/** The message without the system call and the path, which may be an internal one. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message.replace(/, \w+(?: '.*)?$/s, '') : String(error);
