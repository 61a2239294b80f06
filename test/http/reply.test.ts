/** What handlers reply, as responses. */

import { Type } from '@sinclair/typebox';
import t from 'tap';
import { toResponse } from '../../src/http/reply.ts';
import { reply } from '../../src/http/route.ts';
import { named, textReply } from '../../src/http/schema.ts';

const REQUEST = { id: 'request-1', base: 'http://localhost' };
const Text = named('Text', Type.Object({ text: Type.String() }));

t.test('reply: any text is sent as UTF-8', async (t) => {
  const text = 'a \ud800 b';
  const { body } = toResponse(reply(200, text), textReply('text/plain'), REQUEST);
  t.same(body, { kind: 'text', text: 'a \ufffd b' });
  const json = toResponse(reply(200, { text }), Text, REQUEST);
  t.same(json.body, { kind: 'text', text: '{"text":"a \\ud800 b"}' });
});

t.test('reply: a header with a line break is never sent, and throws', async (t) => {
  for (const value of ['a\r\nb: c', 'a\nb', 'a\0b']) {
    t.throws(() => toResponse(reply(200, { text: '' }, { 'x-a': value }), Text, REQUEST));
  }
});
