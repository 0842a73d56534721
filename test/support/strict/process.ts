import { strictServer } from './server.ts';

/** Serves until it is ended. The first line on stdout is the port. */
const [, , switches = '{}', token = ''] = process.argv;
const { server } = strictServer(JSON.parse(switches), token);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(address?.port);
});
