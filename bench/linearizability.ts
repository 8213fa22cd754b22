/**
 * Whether a recorded history is linearizable: Wing and Gong's search (1993) with the memory of Lowe (2017). A history
 * over several objects is judged object by object (Horn and Kroening 2015: linearizability is local).
 */

/** One call with the time it was sent and the time its answer came. */
export interface Operation<Call> {
  call: Call;
  start: number;
  /** Infinity: no answer came. Such a call may have taken effect at any time after its start, or never. */
  end: number;
}

/** A sequential specification. */
export interface Model<State, Call> {
  initial: State;
  /** The state after the call, or undefined where the call could not have had this answer in this state. */
  step(state: State, operation: Operation<Call>): State | undefined;
  /** Equal for equal states, and for those alone. */
  keyOf(state: State): string;
  /** Whether no state is another one after the call. */
  isRead(call: Call): boolean;
}

export type Verdict<Call> =
  | { isLinearizable: true }
  /** `longest` is the longest sequence that fits, in its order; one of `next` had to follow and could not. */
  | { isLinearizable: false; longest: Operation<Call>[]; next: Operation<Call>[] };

/** A call or its return, in a doubly linked list in the order of time. */
interface Entry<Call> {
  operation: Operation<Call>;
  index: number;
  /** Of a call: its return. Of a return, and of a call without an answer: nothing. */
  match?: Entry<Call>;
  isCall: boolean;
  before?: Entry<Call>;
  after?: Entry<Call>;
}

export const checkLinearizable = <State, Call>(
  model: Model<State, Call>,
  history: readonly Operation<Call>[],
): Verdict<Call> => new Search(model, history).run();

/** The calls that have their place, in its order, and what is left of the history. */
class Search<State, Call> {
  private readonly head: Entry<Call>;
  private readonly done: BitSet;
  private readonly seen = new Set<string>();
  private readonly taken: { entry: Entry<Call>; state: State; isFree: boolean }[] = [];
  private longest: Operation<Call>[] = [];
  private next: Operation<Call>[] | undefined;
  private state: State;
  private returnsLeft: number;

  constructor(
    private readonly model: Model<State, Call>,
    history: readonly Operation<Call>[],
  ) {
    this.head = linkedList(history);
    this.done = new BitSet(history.length);
    this.state = model.initial;
    this.returnsLeft = history.filter(({ end }) => end !== Infinity).length;
  }

  run(): Verdict<Call> {
    let entry = this.head.after;
    while (this.returnsLeft > 0) {
      if (entry?.isCall) {
        entry = this.take(entry) ? this.head.after : entry.after;
        continue;
      }
      // A return is reached: something that must come before it has not found a place.
      this.remember();
      const last = this.giveBack();
      if (!last) return { isLinearizable: false, longest: this.longest, next: this.next ?? [] };
      entry = last.after;
    }
    return { isLinearizable: true };
  }

  /** Gives a call the next place if it fits there, and if what comes of it was not tried before. */
  private take(entry: Entry<Call>): boolean {
    const { model, state } = this;
    const after = model.step(state, entry.operation);
    if (after === undefined) return false;
    const key = model.keyOf(after);
    const isFree = model.isRead(entry.operation.call) && key === model.keyOf(state);
    if (!isFree && !this.isNew(`${this.done.with(entry.index)}|${key}`)) return false;
    this.taken.push({ entry, state, isFree });
    this.state = after;
    this.done.add(entry.index);
    if (entry.match) this.returnsLeft -= 1;
    lift(entry);
    return true;
  }

  /** The last call that might also have another place. A read that fits is never better later. */
  private giveBack(): Entry<Call> | undefined {
    for (let last = this.taken.pop(); last; last = this.taken.pop()) {
      this.state = last.state;
      this.done.delete(last.entry.index);
      if (last.entry.match) this.returnsLeft += 1;
      unlift(last.entry);
      if (!last.isFree) return last.entry;
    }
    return undefined;
  }

  private isNew(key: string): boolean {
    if (this.seen.has(key)) return false;
    if (this.seen.size >= MAX_SEEN) throw new Error(`Undecided after ${MAX_SEEN} states: too many concurrent calls`);
    this.seen.add(key);
    return true;
  }

  private remember(): void {
    if (this.next && this.taken.length <= this.longest.length) return;
    this.longest = this.taken.map(({ entry }) => entry.operation);
    this.next = pendingOf(this.head);
  }
}

/** The search is exponential at worst: it gives up before the memory does. */
const MAX_SEEN = 2_000_000;

/** Calls come before returns of the same time: what the clock cannot separate counts as concurrent. */
function linkedList<Call>(history: readonly Operation<Call>[]): Entry<Call> {
  const events = history.flatMap((operation, index) => {
    const call: Entry<Call> = { operation, index, isCall: true };
    if (operation.end === Infinity) return [{ at: operation.start, entry: call }];
    const match: Entry<Call> = { operation, index, isCall: false };
    call.match = match;
    return [
      { at: operation.start, entry: call },
      { at: operation.end, entry: match },
    ];
  });
  events.sort((a, b) => a.at - b.at || Number(b.entry.isCall) - Number(a.entry.isCall));
  const head = { isCall: false, index: -1 } as Entry<Call>;
  let last = head;
  for (const { entry } of events) {
    last.after = entry;
    entry.before = last;
    last = entry;
  }
  return head;
}

function lift<Call>(entry: Entry<Call>): void {
  for (const one of entry.match ? [entry, entry.match] : [entry]) {
    one.before!.after = one.after;
    if (one.after) one.after.before = one.before!;
  }
}

/** In the reverse order of {@link lift}: each neighbour is in its place again when it is needed. */
function unlift<Call>(entry: Entry<Call>): void {
  for (const one of entry.match ? [entry.match, entry] : [entry]) {
    one.before!.after = one;
    if (one.after) one.after.before = one;
  }
}

/** The calls before the first return: one of them had to be next. */
function pendingOf<Call>(head: Entry<Call>): Operation<Call>[] {
  const pending: Operation<Call>[] = [];
  for (let entry = head.after; entry?.isCall; entry = entry.after) pending.push(entry.operation);
  return pending;
}

/** The calls that have their place already. */
class BitSet {
  private readonly words: Uint32Array;

  constructor(size: number) {
    this.words = new Uint32Array(Math.ceil(size / 32) || 1);
  }

  add(index: number): void {
    this.words[index >>> 5]! |= 1 << (index & 31);
  }

  delete(index: number): void {
    this.words[index >>> 5]! &= ~(1 << (index & 31));
  }

  /** As text, with one more. */
  with(index: number): string {
    this.add(index);
    const text = this.words.join();
    this.delete(index);
    return text;
  }
}
