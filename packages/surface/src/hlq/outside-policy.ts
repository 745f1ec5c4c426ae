/**
 * A policy that is somebody outside: proposals come in one by one, and each is
 * answered with what came of it; one episode follows another when it is asked for.
 *
 * The run asks for a proposal and waits; a caller brings one and waits for the
 * next question, which carries the outcome of what it brought. A question about
 * another episode says that this one has ended: it is held back until somebody
 * asks for the next. Whoever comes while another waits stands in line, because an
 * episode has one step at a time.
 */
import type { Brief, EpisodePolicy, Observation, Policy, Proposal } from "@bridle/search";

export interface Answer {
  readonly brief: Brief;
  /** What is seen now. */
  readonly observation: Observation;
}

interface Question {
  readonly answer: Answer;
  take(proposal: Proposal): void;
}

/** `ended`: the episode that was open has an end. */
export type Outcome = { readonly answer: Answer } | { readonly ended: true };
export type NextOutcome = Outcome | { readonly open: string } | { readonly none: true };

export class OutsidePolicy implements Policy {
  readonly policyId = "outside.v1";
  readonly params = {};
  readonly nondeterministicComponents = ["an agent outside"];
  readonly asksAfterWriting = true;
  /** The episode that is open, or that ended last. */
  episodeId: string | undefined;
  private question: Question | undefined;
  private waiting: (() => void)[] = [];
  private over = false;
  private turn: Promise<unknown> = Promise.resolve();

  begin(brief: Brief): EpisodePolicy {
    return {
      propose: (observation) =>
        new Promise<Proposal>((take) => this.ask({ answer: { brief, observation }, take })),
    };
  }

  /** What is asked now, without proposing anything. */
  look(): Promise<Outcome> {
    return this.inLine(async () => this.outcome(await this.nextQuestion()));
  }

  /** What came of the proposal. */
  propose(proposal: Proposal): Promise<Outcome> {
    return this.inLine(async () => {
      const question = this.own(await this.nextQuestion());
      if (question === undefined) return { ended: true };
      this.question = undefined;
      question.take(proposal);
      return this.outcome(await this.nextQuestion());
    });
  }

  /** Opens the next episode, once this one has ended. */
  next(): Promise<NextOutcome> {
    return this.inLine(async () => {
      const question = await this.nextQuestion();
      if (this.own(question) !== undefined) return { open: this.episodeId ?? "" };
      if (question === undefined) return { none: true };
      this.episodeId = question.answer.brief.episode_id;
      return { answer: question.answer };
    });
  }

  /** No more will be asked. */
  end(): void {
    this.over = true;
    this.question = undefined;
    this.wake();
  }

  /** Whether every episode of the run has ended. */
  get ended(): boolean {
    return this.over;
  }

  private outcome(question: Question | undefined): Outcome {
    const own = this.own(question);
    return own === undefined ? { ended: true } : { answer: own.answer };
  }

  /** The question where it is about the open episode; the first one opens it. */
  private own(question: Question | undefined): Question | undefined {
    if (question === undefined) return undefined;
    this.episodeId ??= question.answer.brief.episode_id;
    return question.answer.brief.episode_id === this.episodeId ? question : undefined;
  }

  private inLine<T>(act: () => Promise<T>): Promise<T> {
    const done = this.turn.then(act);
    this.turn = done.catch(() => {});
    return done;
  }

  private ask(question: Question): void {
    this.question = question;
    this.wake();
  }

  private wake(): void {
    for (const wake of this.waiting.splice(0)) wake();
  }

  private async nextQuestion(): Promise<Question | undefined> {
    while (this.question === undefined && !this.over)
      await new Promise<void>((wake) => this.waiting.push(wake));
    return this.question;
  }
}
