"""Chat models: an endpoint of the OpenAI form, and answers that are kept on disk."""

from logic_retrievers.chat.answers import Answers
from logic_retrievers.chat.endpoint import ChatEndpoint, Completion

__all__ = ["Answers", "ChatEndpoint", "Completion"]
