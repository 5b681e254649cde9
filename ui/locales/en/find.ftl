# Finding words in a request or a conversation.
find-words = Find
find-searching = Searching…
find-none = Not found
find-at = { $at } of { $n }
find-more = { $at } of more than { $n }
find-next = Next hit
find-previous = Previous hit
find-close = Close the search
find-changes = In the changes
find-older = Load earlier messages
