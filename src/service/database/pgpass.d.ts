declare module 'pgpass' {
  function pgpass(connection: unknown, callback: (password?: string) => void): void;
  export = pgpass;
}
