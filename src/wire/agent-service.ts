/**
 * The gRPC service between node-agents and coordinators, in the form that @grpc/grpc-js takes for servers
 * (`addService`) and clients (`makeGenericClientConstructor`). Its messages are plain values: the codecs do
 * the rest. Handlers are called `session`, `logs` and `content`.
 */
import {
  agentMessageCodec,
  contentChunkCodec,
  contentDoneCodec,
  coordinatorMessageCodec,
  logAckCodec,
  logChunkCodec,
} from './codecs/agent.ts';
import type { PlainCodec } from './codecs/plain.ts';

const SERVICE = 'millrace.node.v1.AgentGateway';

/**
 * Received messages may be this large (a launch with many inputs, a batch of files); gRPC's own default is 4
 * MB.
 */
export const AGENT_MESSAGE_BYTES_MAX = 32 * 1024 * 1024;

function method<Request, Response>(
  name: string,
  responseStream: boolean,
  request: PlainCodec<Request>,
  response: PlainCodec<Response>,
) {
  return {
    path: `/${SERVICE}/${name}`,
    originalName: name.toLowerCase(),
    requestStream: true,
    responseStream,
    requestSerialize: request.encode,
    requestDeserialize: request.decode,
    responseSerialize: response.encode,
    responseDeserialize: response.decode,
  };
}

export const AGENT_SERVICE = {
  session: method('Session', true, agentMessageCodec, coordinatorMessageCodec),
  logs: method('Logs', true, logChunkCodec, logAckCodec),
  content: method('Content', false, contentChunkCodec, contentDoneCodec),
};
