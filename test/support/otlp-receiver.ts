/**
 * A collector of traces. It decodes requests by the field numbers of the published protocol
 * (opentelemetry/proto/trace/v1/trace.proto and its imports), independently of the encoder.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  readonly name: string;
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly {
    readonly name: string;
    readonly attributes: Readonly<Record<string, unknown>>;
  }[];
  /** 0 unset, 1 ok, 2 error. */
  readonly statusCode: number;
  readonly statusMessage: string;
  /** Attributes of its resource. */
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface OtlpReceiver {
  readonly endpoint: string;
  readonly spans: readonly ReceivedSpan[];
  /** The received requests. */
  readonly requests: readonly { readonly path: string; readonly headers: IncomingMessage['headers'] }[];
}

interface Teardown {
  teardown(handler: () => Promise<void>): void;
}

export async function otlpReceiver(t: Teardown): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const requests: { path: string; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests.push({ path: request.url ?? '', headers: request.headers });
      const body = Buffer.concat(chunks);
      spans.push(...spansOf(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body));
      // An empty ExportTraceServiceResponse: all spans were accepted.
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}`, spans, requests };
}

type Field = bigint | Uint8Array;

/** The fields of a message by number, each with all its values. */
function fieldsOf(bytes: Uint8Array): (number: number) => Field[] {
  const reader = new BinaryReader(bytes);
  const fields = new Map<number, Field[]>();
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    const values = fields.get(number) ?? [];
    fields.set(number, values);
    if (type === WireType.Varint) values.push(BigInt(reader.int64()));
    else if (type === WireType.Bit64) values.push(BigInt(reader.fixed64()));
    else if (type === WireType.LengthDelimited) values.push(reader.bytes());
    else if (type === WireType.Bit32) values.push(BigInt(reader.fixed32()));
    else throw new Error(`field ${number} has the wire type ${type}`);
  }
  return (number) => fields.get(number) ?? [];
}

const messages = (values: Field[]): Uint8Array[] => values.filter((one) => one instanceof Uint8Array);
const hex = ([value]: Field[]): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('hex') : '';
const text = ([value]: Field[]): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : '';
const whole = ([value]: Field[]): number => Number(typeof value === 'bigint' ? value : 0n);
const ms = (values: Field[]): number => whole(values) / 1e6;

function spansOf(body: Uint8Array): ReceivedSpan[] {
  return messages(fieldsOf(body)(1)).flatMap((resourceSpans) => {
    const ofResource = fieldsOf(resourceSpans);
    const [described = new Uint8Array()] = messages(ofResource(1));
    const resource = attributesOf(fieldsOf(described)(1));
    return messages(ofResource(2))
      .flatMap((scopeSpans) => messages(fieldsOf(scopeSpans)(2)))
      .map((span) => spanOf(span, resource));
  });
}

function spanOf(bytes: Uint8Array, resource: ReceivedSpan['resource']): ReceivedSpan {
  const field = fieldsOf(bytes);
  const [described = new Uint8Array()] = messages(field(15));
  const status = fieldsOf(described);
  return {
    ...{ traceId: hex(field(1)), spanId: hex(field(2)), parentId: hex(field(4)), name: text(field(5)) },
    ...{ kind: whole(field(6)), startMs: ms(field(7)), endMs: ms(field(8)) },
    attributes: attributesOf(field(9)),
    events: messages(field(11)).map((event) => {
      const part = fieldsOf(event);
      return { name: text(part(2)), attributes: attributesOf(part(3)) };
    }),
    ...{ statusMessage: text(status(2)), statusCode: whole(status(3)), resource },
  };
}

/** From a list of KeyValue. Only strings, booleans and whole numbers are sent. */
function attributesOf(values: Field[]): Record<string, unknown> {
  const pairs = messages(values).map((pair) => {
    const field = fieldsOf(pair);
    const [described = new Uint8Array()] = messages(field(2));
    const value = fieldsOf(described);
    if (value(1).length > 0) return [text(field(1)), text(value(1))];
    if (value(2).length > 0) return [text(field(1)), whole(value(2)) === 1];
    return [text(field(1)), whole(value(3))];
  });
  return Object.fromEntries(pairs);
}
