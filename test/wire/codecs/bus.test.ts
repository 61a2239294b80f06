/** Envelopes as bytes: what the conformance suites of the transports don't show. */
import { create, toBinary } from '@bufbuild/protobuf';
import t from 'tap';
import { decodeEnvelope, encodeEnvelope } from '../../../src/wire/codecs/bus.ts';
import { EnvelopeSchema, MailSchema } from '../../../src/wire/generated/bus/v1/messages_pb.ts';

const encoder = new TextEncoder();

function mailBytes(payload: Uint8Array): Uint8Array {
  const value = create(MailSchema, { payload: new Uint8Array(payload), toKind: 'k', toKey: '1' });
  return toBinary(EnvelopeSchema, create(EnvelopeSchema, { body: { case: 'mail', value } }));
}

t.test('bus codec: what is no envelope is refused by its code', async (t) => {
  const bad = {
    'no protobuf': new Uint8Array([255, 255, 255]),
    'nothing at all': new Uint8Array(0),
    'a payload that is no JSON': mailBytes(encoder.encode('{"type":')),
    'a payload that is no UTF-8': mailBytes(new Uint8Array([0x22, 0xff, 0x22])),
    'a payload that is no object': mailBytes(encoder.encode('7')),
    'a payload of null': mailBytes(encoder.encode('null')),
    'an empty payload': mailBytes(new Uint8Array(0)),
  };
  for (const [what, bytes] of Object.entries(bad)) {
    t.throws(() => decodeEnvelope(bytes), { code: 'INVALID_REQUEST' }, what);
  }
});

t.test('bus codec: a message type travels beside its payload, for operators', async (t) => {
  const mail = { id: 1, from: 'a', to: { kind: 'job', key: '1' }, isNew: false, hops: 0 };
  const bytes = encodeEnvelope({ ...mail, type: 'mail', message: { type: 'taskFinished' } });
  t.ok(Buffer.from(bytes).includes('taskFinished'));
  t.same(decodeEnvelope(encodeEnvelope({ ...mail, type: 'mail', message: { noType: 1 } })), {
    ...mail,
    type: 'mail',
    message: { noType: 1 },
  });
});

t.test('bus codec: a key named __proto__ stays data', async (t) => {
  const message = JSON.parse('{"type":"x","__proto__":{"polluted":true}}') as object;
  const mail = { id: 1, from: 'a', to: { kind: 'job', key: '1' }, isNew: false, hops: 0 };
  const decoded = decodeEnvelope(encodeEnvelope({ ...mail, type: 'mail', message }));
  t.ok(decoded.type === 'mail' && Object.hasOwn(decoded.message, '__proto__'));
  t.notOk('polluted' in {});
});
