"""What answers questions from passages, one file each.

base.py        what a reader is given and says
extractive.py  without a language model
endpoint.py    a model behind an endpoint of the OpenAI form
gguf.py        a model in a local file
"""

from logic_retrievers.probe.readers.base import Prompt, Reader
from logic_retrievers.probe.readers.endpoint import EndpointReader
from logic_retrievers.probe.readers.extractive import ExtractiveReader
from logic_retrievers.probe.readers.gguf import GgufReader

__all__ = ["EndpointReader", "ExtractiveReader", "GgufReader", "Prompt", "Reader"]
