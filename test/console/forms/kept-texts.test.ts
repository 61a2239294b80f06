/** What tabs keep of the texts of editors: no value of a secret setting. */
import t from 'tap';
import { keptTextOf } from '../../../src/console/type-editor/kept-text.ts';

const CANARY = 'canary-5f1c';

function typed(settings: object, declared: unknown = [{ name: 'KEY', secret: true }, { name: 'LEVEL' }]) {
  const manifest = { job: { interface: { settings: declared } } };
  return JSON.stringify({ container_image: 'a:1', manifest, configuration: { priority: 5, settings } });
}

t.test('kept texts: the values of secret settings are left out, and nothing else', async (t) => {
  const kept = keptTextOf(typed({ KEY: CANARY, LEVEL: 'high' })) ?? '';
  t.notMatch(kept, CANARY);
  t.strictSame(JSON.parse(kept), JSON.parse(typed({ LEVEL: 'high' })));
});

t.test('kept texts: a text without secrets is kept as it is, whether or not it is JSON', async (t) => {
  const pretty = JSON.stringify(JSON.parse(typed({ LEVEL: 'high' })), null, 3);
  for (const text of [
    '',
    '{"half": ',
    '[]',
    pretty,
    typed({}, 'no list'),
    typed([CANARY] as object, [null, 1]),
  ]) {
    t.equal(keptTextOf(text), text);
  }
});

t.test('kept texts: a text with secrets that is no JSON at the moment is not kept', async (t) => {
  t.equal(keptTextOf(typed({ KEY: CANARY }).slice(0, -1)), undefined);
});
