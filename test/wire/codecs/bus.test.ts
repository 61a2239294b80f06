/** Envelopes as bytes: what the conformance suites of the transports don't show. */
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import t from 'tap';
import { decodeEnvelope, encodeEnvelope } from '../../../src/wire/codecs/bus.ts';
import { EnvelopeSchema, MailSchema } from '../../../src/wire/generated/bus/v1/messages_pb.ts';

const encoder = new TextEncoder();

const RIGHT = { from: 'c-1', toKind: 'k', toKey: '1', payload: encoder.encode('{"type":"x"}') } as const;

function envelopeOf(mail: MessageInitShape<typeof MailSchema>, from = 'c-1'): Uint8Array {
  const value = create(MailSchema, { ...RIGHT, ...mail });
  return toBinary(EnvelopeSchema, create(EnvelopeSchema, { from, body: { case: 'mail', value } }));
}

function mailBytes(payload: Uint8Array): Uint8Array {
  return envelopeOf({ payload: new Uint8Array(payload) });
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
    'a payload that is a list': mailBytes(encoder.encode('[{"type":"x"}]')),
    'a payload without a type': mailBytes(encoder.encode('{"noType":1}')),
    'no sender': envelopeOf({}, ''),
    'a sender that is no name': envelopeOf({}, 'c.>'),
    'a mail of nobody': envelopeOf({ from: '' }),
    'a mail of what is no name': envelopeOf({ from: 'a b' }),
    'no kind of actor': envelopeOf({ toKind: '' }),
    'a kind that is no name': envelopeOf({ toKind: 'k/1' }),
    'a key without end': envelopeOf({ toKey: 'x'.repeat(201) }),
    'a time that is no number': envelopeOf({ askId: 1n, timeLeftMs: Number.NaN }),
    'a time without end': envelopeOf({ askId: 1n, timeLeftMs: Number.POSITIVE_INFINITY }),
    'a time before now': envelopeOf({ askId: 1n, timeLeftMs: -1 }),
    'a number that is not exact': envelopeOf({ id: 2n ** 60n }),
    'an ask whose number is not exact': envelopeOf({ askId: 2n ** 60n }),
  };
  for (const [what, bytes] of Object.entries(bad)) {
    t.throws(() => decodeEnvelope(bytes), { code: 'INVALID_REQUEST' }, what);
  }
});

t.test('bus codec: a message type travels beside its payload, for operators', async (t) => {
  const mail = { id: 1, from: 'a', to: { kind: 'job', key: '1' }, isNew: false, hops: 0 };
  const bytes = encodeEnvelope({ ...mail, type: 'mail', message: { type: 'taskFinished' } });
  t.ok(Buffer.from(bytes).includes('taskFinished'));
  t.same(decodeEnvelope(bytes), { ...mail, type: 'mail', message: { type: 'taskFinished' } });
  t.match(decodeEnvelope(envelopeOf({})), { to: { kind: 'k', key: '1' } }, 'what the others are broken from');
});

t.test('bus codec: a key named __proto__ stays data', async (t) => {
  const message = JSON.parse('{"type":"x","__proto__":{"polluted":true}}') as object;
  const mail = { id: 1, from: 'a', to: { kind: 'job', key: '1' }, isNew: false, hops: 0 };
  const decoded = decodeEnvelope(encodeEnvelope({ ...mail, type: 'mail', message }));
  t.ok(decoded.type === 'mail' && Object.hasOwn(decoded.message, '__proto__'));
  t.notOk('polluted' in {});
});
