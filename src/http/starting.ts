/**
 * Answers while the service starts: 503 with the reason to every request, including `/v6/ready/`. From `open` on, all
 * requests go to the service itself.
 */
import { AppError } from '../domain/errors.ts';
import type { Dispatcher, Prepared, Upgraded } from './dispatch.ts';
import type { HttpRequest, HttpResponse, RequestHead } from './exchange.ts';
import { failureResponse } from './problem.ts';
import type { MaybePromise } from './serve.ts';

export class StartingDispatcher implements Dispatcher {
  /** What the service waits for, as a sentence. */
  readonly #reason: () => string;
  #service: Dispatcher | undefined;

  constructor(reason: () => string) {
    this.#reason = reason;
  }

  open(service: Dispatcher): void {
    this.#service = service;
  }

  prepare(head: RequestHead): Prepared {
    return this.#service?.prepare(head) ?? { kind: 'answer', response: this.#wait(head) };
  }

  upgrade(head: RequestHead): MaybePromise<Upgraded> {
    return this.#service?.upgrade(head) ?? { kind: 'answer', response: this.#wait(head) };
  }

  async dispatch(request: HttpRequest): Promise<HttpResponse> {
    return this.#service?.dispatch(request) ?? this.#wait(request);
  }

  refuse(head: RequestHead, error: AppError): HttpResponse {
    return this.#service?.refuse(head, error) ?? failureResponse(error, head.id);
  }

  #wait(head: RequestHead): HttpResponse {
    return failureResponse(new AppError('OWNER_UNAVAILABLE', this.#reason()), head.id);
  }
}
