/**
 * The gRPC service between node agents and coordinators, in the form that @grpc/grpc-js takes for servers
 * (`addService`) and clients (`makeGenericClientConstructor`). Its messages are plain values, converted by the codecs.
 * Its handlers are `session`, `logs`, `content`, `upload`, `reservePath`, `introduce` and `enrol`.
 */
import {
  agentMessageCodec,
  contentChunkCodec,
  contentDoneCodec,
  coordinatorMessageCodec,
  enrolmentCodec,
  enrolRequestCodec,
  introduceRequestCodec,
  introductionCodec,
  logAckCodec,
  logChunkCodec,
  pathRequestCodec,
  pathReservationCodec,
  uploadPieceCodec,
  uploadReportCodec,
} from './codecs/agent.ts';
import { type PlainCodec, upTo } from './codecs/plain.ts';

const SERVICE = 'millrace.node.v1.AgentGateway';

/** The largest message that is accepted (a launch with many inputs, a batch of files); gRPC's default is 4 MB. */
export const AGENT_MESSAGE_BYTES_MAX = 32 * 1024 * 1024;
/**
 * limit: bytes of a message with names, a token and a key, and of the part of a piece's message that is not the piece.
 */
const SMALL_MESSAGE_BYTES_MAX = 64 * 1024;
/** limit: bytes of a piece of a log or a file. */
export const PIECE_BYTES_MAX = 256 * 1024;
const PIECE_MESSAGE_BYTES_MAX = PIECE_BYTES_MAX + SMALL_MESSAGE_BYTES_MAX;

function method<Request, Response>(
  name: string,
  { requestStream, responseStream }: { readonly requestStream: boolean; readonly responseStream: boolean },
  request: PlainCodec<Request>,
  response: PlainCodec<Response>,
) {
  return {
    path: `/${SERVICE}/${name}`,
    originalName: name.toLowerCase(),
    requestStream,
    responseStream,
    requestSerialize: request.encode,
    requestDeserialize: request.decode,
    responseSerialize: response.encode,
    responseDeserialize: response.decode,
  };
}

const BOTH_WAYS = { requestStream: true, responseStream: true };
const UPWARDS = { requestStream: true, responseStream: false };
const ONCE = { requestStream: false, responseStream: false };

export const AGENT_SERVICE = {
  session: method('Session', BOTH_WAYS, agentMessageCodec, coordinatorMessageCodec),
  logs: method('Logs', BOTH_WAYS, upTo(PIECE_MESSAGE_BYTES_MAX, logChunkCodec), logAckCodec),
  content: method('Content', UPWARDS, upTo(PIECE_MESSAGE_BYTES_MAX, contentChunkCodec), contentDoneCodec),
  upload: method('Upload', BOTH_WAYS, upTo(SMALL_MESSAGE_BYTES_MAX, uploadReportCodec), uploadPieceCodec),
  reservePath: method(
    'ReservePath',
    ONCE,
    upTo(SMALL_MESSAGE_BYTES_MAX, pathRequestCodec),
    pathReservationCodec,
  ),
  introduce: method(
    'Introduce',
    ONCE,
    upTo(SMALL_MESSAGE_BYTES_MAX, introduceRequestCodec),
    introductionCodec,
  ),
  enrol: method('Enrol', ONCE, upTo(SMALL_MESSAGE_BYTES_MAX, enrolRequestCodec), enrolmentCodec),
};
