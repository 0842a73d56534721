import { screen, usual } from './screen.ts';
import { ids } from './service.ts';

const hello = "export default () => 'hello';\n";

screen('runs', [['runs']]);
screen('runs in full', [['runs', '--error', '--full', '--limit', '2']]);
screen('runs as they come', [['runs', '--follow']], { until: 'hello' });
screen('summary', [['runs', '--summary']]);
screen('lists', [['likes'], ['comments'], ['refs']]);
screen('one record', [['me'], ['val', 'get', ids.hello]]);
screen(
  'push',
  [
    ['push', 'hello.ts', 'prices.ts'],
    ['push', 'hello.ts', 'broken.ts', 'prices.ts'],
  ],
  { files: { 'hello.ts': hello, 'prices.ts': hello, 'broken.ts': hello } },
);
screen(
  'errors',
  [['val', 'get', 'hello'], ['val', 'create', 'hello', 'hello.ts'], ['vals'], ['likes', '--limit', 'x']],
  { files: { 'hello.ts': hello } },
);

// The narrow screen would only wrap the same texts.
screen(
  'versions',
  [
    ['version', 'ls', ids.hello],
    ['version', 'diff', ids.hello, '1'],
    ['version', 'restore', ids.hello, '1'],
    ['version', 'rm', ids.hello, '1', '--yes'],
    ['val', 'rm', ids.hello, '--yes'],
  ],
  { looks: [usual] },
);
screen('help', [['--help'], ['push', '--help']], { looks: [usual] });
