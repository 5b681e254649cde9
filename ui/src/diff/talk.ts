// What a diff is shown for: a reply that is written, a round of a review. It holds what is said about its lines.
import type { CommentPlace, OpenComment } from '../reply/reply-draft.svelte';
import type { RequestSummary } from '../generated/RequestSummary';

export interface Talk {
  /** What the files that were viewed are remembered by: in `request_id`, and, unchanged since, in `session_uuid`. */
  readonly summary: Pick<RequestSummary, 'session_uuid' | 'request_id'>;
  readonly comments: readonly OpenComment[];
  /** Whether files can be marked as viewed. */
  readonly open: boolean;
  /** Null while it goes on. */
  readonly closed: unknown;
  /** The round that it is compared with; absent where that is what the person answered before. */
  readonly before?: number | undefined;
  /** Whether its lines can be commented on. */
  readonly takesComments: boolean;
  /** Begins a comment on a line, or on several; null where none is taken. */
  comment(place: CommentPlace): OpenComment | null;
  /** Takes up a comment again. */
  editComment(comment: OpenComment): void;
}
