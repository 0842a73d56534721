// Types for the package pgpass, which contains no types.
declare module 'pgpass' {
  /** Finds the password in the file that PGPASSFILE names, or in ~/.pgpass. */
  function pgpass(connection: unknown, callback: (password?: string) => void): void;
  export = pgpass;
}
