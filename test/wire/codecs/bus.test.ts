/** Encoded envelopes, as far as the conformance suites of the transports do not test them. */
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import t from 'tap';
import type { AnyMessage } from '../../../src/kernel/mod.ts';
import {
  decodeDelivery,
  encodeBatch,
  encodeEnvelope,
  encodeNotes,
  withoutPrevious,
} from '../../../src/wire/codecs/bus.ts';
import { encodeMember } from '../../../src/wire/codecs/bus-batch.ts';
import { BatchSchema, EnvelopeSchema, MailSchema } from '../../../src/wire/generated/bus/v1/messages_pb.ts';

const encoder = new TextEncoder();

const RIGHT = { from: 'c-1', toKind: 'k', toKey: '1', payload: encoder.encode('{"type":"x"}') } as const;

function envelopeOf(mail: MessageInitShape<typeof MailSchema>, from = 'c-1'): Uint8Array {
  const value = create(MailSchema, { ...RIGHT, ...mail });
  return toBinary(EnvelopeSchema, create(EnvelopeSchema, { from, body: { case: 'mail', value } }));
}

/** The only envelope of a message. */
function decodeEnvelope(bytes: Uint8Array) {
  const { envelopes } = decodeDelivery(bytes);
  return envelopes[0];
}

function batchOf(json: string, from = 'c-1'): Uint8Array {
  const value = create(BatchSchema, { envelopes: encoder.encode(json) });
  return toBinary(EnvelopeSchema, create(EnvelopeSchema, { from, body: { case: 'batch', value } }));
}

function mailBytes(payload: Uint8Array): Uint8Array {
  return envelopeOf({ payload: new Uint8Array(payload) });
}

t.test('bus codec: bytes that are not an envelope are refused with INVALID_REQUEST', async (t) => {
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

t.test('bus codec: the type of a message is readable in its bytes', async (t) => {
  const mail = { id: 1, from: 'a', to: { kind: 'job', key: '1' }, isNew: false, hops: 0 };
  const bytes = encodeEnvelope({ ...mail, type: 'mail', message: { type: 'taskFinished' } });
  t.ok(Buffer.from(bytes).includes('taskFinished'));
  t.same(decodeEnvelope(bytes), { ...mail, type: 'mail', message: { type: 'taskFinished' } });
  t.match(
    decodeEnvelope(envelopeOf({})),
    { to: { kind: 'k', key: '1' } },
    'the valid envelope from which the invalid ones are made',
  );
});

t.test('bus codec: a key named __proto__ stays data', async (t) => {
  const message = JSON.parse('{"type":"x","__proto__":{"polluted":true}}') as AnyMessage;
  const mail = { id: 1, from: 'a', to: { kind: 'job', key: '1' }, isNew: false, hops: 0 };
  const decoded = decodeEnvelope(encodeEnvelope({ ...mail, type: 'mail', message }));
  t.ok(decoded?.type === 'mail' && Object.hasOwn(decoded.message, '__proto__'));
  t.notOk('polluted' in {});
});

t.test('bus codec: a batch with an invalid envelope is refused with INVALID_REQUEST', async (t) => {
  const bad = {
    'no JSON': '[["m",1',
    'no list': '{"0":["l",1]}',
    'a member that is no list': '["l"]',
    'a member of an unknown kind': '[["x",1]]',
    'a member without a number': '[["l"]]',
    'a number below all that are given out': '[["l",-1]]',
    'a number that is not exact': '[["l",1e300]]',
    'a mail without a message': '[["m",1,"k","1",false,0]]',
    'a message that is a list': '[["m",1,"k","1",false,0,[]]]',
    'a message without a type': '[["m",1,"k","1",false,0,{}]]',
    'a kind that is no name': '[["m",1,"k/1","1",false,0,{"type":"x"}]]',
    'a key that is a number': '[["m",1,"k",1,false,0,{"type":"x"}]]',
    'a key without end': `[["m",1,"k","${'x'.repeat(201)}",false,0,{"type":"x"}]]`,
    'a mail that is new or not': '[["m",1,"k","1",0,0,{"type":"x"}]]',
    'a mail of what is no name': '[["m",1,"k","1",false,0,{"type":"x"},"a b"]]',
    'an ask without a time': '[["m",1,"k","1",false,0,{"type":"x"},null,7]]',
    'a time before now': '[["m",1,"k","1",false,0,{"type":"x"},null,7,-1]]',
    'an ask whose number is a text': '[["m",1,"k","1",false,0,{"type":"x"},null,"7",1]]',
    'a bounce of nothing': '[["b",1]]',
    'a bounce of what is no mail': '[["b",1,["l",1]]]',
    'an answer to nothing': '[["a",1]]',
    'a refusal without words': '[["r",1,2]]',
    'a good one before a bad one': '[["l",1],["x",1]]',
  };
  for (const [what, json] of Object.entries(bad)) {
    t.throws(() => decodeDelivery(batchOf(json)), { code: 'INVALID_REQUEST' }, what);
  }
  t.throws(() => decodeDelivery(batchOf('[]', 'c.>')), { code: 'INVALID_REQUEST' }, 'an invalid sender');
});

t.test('bus codec: further fields of a batch from a later version are ignored', async (t) => {
  const mail = { id: 1, from: 'c-1', to: { kind: 'k', key: '1' }, isNew: false, hops: 0 };
  const { envelopes } = decodeDelivery(
    batchOf('[["l",1,"more"],["m",1,"k","1",false,0,{"type":"x"},null,7,5,"more"]]'),
  );
  t.same(envelopes, [
    { type: 'leasesChanged', id: 1, from: 'c-1' },
    { ...mail, type: 'mail', message: { type: 'x' }, ask: { askId: 7, timeLeftMs: 5 } },
  ]);
});

t.test(
  'bus codec: each message says that its sender reads batches, which the previous version did not',
  async (t) => {
    const leasesChanged = { type: 'leasesChanged', id: 1, from: 'c-1' } as const;
    t.equal(decodeDelivery(encodeEnvelope(leasesChanged)).readsBatches, true);
    t.equal(decodeDelivery(encodeBatch('c-1', encodeMember(leasesChanged, 'c-1'))).readsBatches, true);
    t.equal(decodeDelivery(envelopeOf({})).readsBatches, false);
  },
);

t.test('bus codec: a message has its sender, its number and the number before it', (t) => {
  const counted = { sender: 'c-2', number: 9, previous: 7 };
  const envelope = { type: 'leasesChanged', id: 1, from: 'c-1' } as const;
  const one = encodeEnvelope(envelope, counted);
  t.match(decodeDelivery(one), { from: 'c-2', number: 9, previous: 7, envelopes: [envelope] });
  t.match(decodeDelivery(withoutPrevious(one)), {
    from: 'c-2',
    number: 9,
    previous: 0,
    envelopes: [envelope],
  });
  const batch = encodeBatch('c-2', encodeMember(envelope, 'c-1'), counted);
  t.match(decodeDelivery(batch), { from: 'c-2', number: 9, previous: 7 });
  t.match(decodeDelivery(encodeEnvelope(envelope)), { from: 'c-1', number: 0, previous: 0 });
  t.end();
});

t.test('bus codec: receipts and probes have no envelopes', (t) => {
  t.match(decodeDelivery(encodeNotes('c-1', { received: 5 })), {
    ...{ from: 'c-1', number: 0, envelopes: [] },
    notes: { received: 5, probe: 0, probed: 0 },
  });
  t.match(decodeDelivery(encodeNotes('c-1', { probe: 3 })).notes, { received: 0, probe: 3, probed: 0 });
  t.match(decodeDelivery(encodeNotes('c-1', { probed: 3 })).notes, { received: 0, probe: 0, probed: 3 });
  t.throws(() => decodeDelivery(encodeNotes('c-1', {})), { code: 'INVALID_REQUEST' }, 'nothing at all');
  t.end();
});
