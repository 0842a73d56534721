import { screen, usual } from '../screens/screen.ts';
import { ids } from '../screens/service.ts';

const hello = "export default () => 'hello';\n";
const pulled = [['init'], ...Object.values(ids).map((id) => ['pull', id])];

screen('status', [['status'], ['status', 'hello']], { before: pulled });
screen('workspace', [['init'], ['status'], ['push']], {
  looks: [usual],
  files: { 'hello.ts': hello, 'prices.ts': hello },
});
// The service of the screens does not keep what is pushed, so hello is not pulled after the push.
const [behind, edited] = ['fetchPrices', 'sendWeeklyNewsletterDigest'];
const merge = ['pull', edited, '--merge'];
screen('both sides edited', [['status'], ['diff'], ['push'], ['pull', behind, edited], merge], {
  looks: [usual],
  before: pulled,
  edits: {
    'hello.ts': "export default () => 'hello again';\n",
    'sendWeeklyNewsletterDigest.ts': "export default () => 'new news';\n",
  },
});
