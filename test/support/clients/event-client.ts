/** A client for server-sent events, as specified by the WHATWG, that waits for conditions. */

export interface ReadEvent {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into data of any shape
  readonly data: any;
}

export class EventClient {
  readonly response: Response;
  readonly events: ReadEvent[] = [];
  /** The `Last-Event-ID` of the next connection. */
  lastId = '';
  text = '';
  isClosed = false;
  readonly #aborter: AbortController;
  #onChange: (() => void)[] = [];

  private constructor(response: Response, aborter: AbortController) {
    this.response = response;
    this.#aborter = aborter;
    void this.#read();
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<EventClient> {
    const aborter = new AbortController();
    const { signal } = aborter;
    const response = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal });
    return new EventClient(response, aborter);
  }

  close(): void {
    this.#aborter.abort();
  }

  async until(isFulfilled: (client: this) => boolean): Promise<void> {
    while (!isFulfilled(this)) await new Promise<void>((resolve) => this.#onChange.push(resolve));
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const chunk of this.response.body ?? []) {
        const text = decoder.decode(chunk, { stream: true });
        this.text += text;
        const blocks = (rest + text).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) this.#take(block);
        this.#changed();
      }
    } catch {
      // closed by either side; tests check the events before that
    }
    this.isClosed = true;
    this.#changed();
  }

  #take(block: string): void {
    let type = 'message';
    let data = '';
    for (const line of block.split('\n')) {
      const [, name, value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      if (name === 'id') this.lastId = value;
      if (name === 'event') type = value;
      if (name === 'data') data += value;
    }
    if (data !== '') this.events.push({ type, data: JSON.parse(data) });
  }

  #changed(): void {
    for (const resolve of this.#onChange.splice(0)) resolve();
  }
}
