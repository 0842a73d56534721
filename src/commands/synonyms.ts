/** Words that users of other programs type, with our command. */
export const synonyms: Readonly<Record<string, string>> = {
  rm: 'val rm',
  get: 'val get',
  whoami: 'me',
  auth: 'login',
  logs: 'runs',
  undo: 'version restore',
  rollback: 'version restore',
  history: 'version ls',
  blame: 'version ls',
  deploy: 'push',
  secrets: 'run --env',
  env: 'run --env',
};
