// What the system called an error.

/** Its code, such as `ENOENT`; undefined where it has none. */
export const errnoOf = (error: unknown): string | undefined =>
  error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;

/** The one error of the file system that is often no error. */
export const isMissing = (error: unknown): boolean => errnoOf(error) === 'ENOENT';

/** Its message without the call and the path, which may be one that only the system understands. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message.replace(/, \w+(?: '.*)?$/s, '') : String(error);
