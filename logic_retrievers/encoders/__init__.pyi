from logic_retrievers.encoders.base import Encoder as Encoder
from logic_retrievers.encoders.base import VectorSpec as VectorSpec
from logic_retrievers.encoders.bundle import Bundle as Bundle
from logic_retrievers.encoders.bundle import default_bundle_path as default_bundle_path
from logic_retrievers.encoders.bundle import load_bundle as load_bundle
from logic_retrievers.encoders.caching import CachedEncoder as CachedEncoder
from logic_retrievers.encoders.caching import RecentEncoder as RecentEncoder
from logic_retrievers.encoders.combined import CombinedEncoder as CombinedEncoder
from logic_retrievers.encoders.combined import default_encoder as default_encoder
from logic_retrievers.encoders.combined import with_compatibility as with_compatibility
from logic_retrievers.encoders.endpoint import EndpointEncoder as EndpointEncoder
from logic_retrievers.encoders.functions import FunctionEncoder as FunctionEncoder
from logic_retrievers.encoders.functions import identity_of as identity_of
from logic_retrievers.encoders.onnx import OnnxEncoder as OnnxEncoder
from logic_retrievers.encoders.onnx import verify_bundle as verify_bundle
from logic_retrievers.encoders.query_encoder import QueryEncoder as QueryEncoder
from logic_retrievers.encoders.query_encoder import read_query_encoder as read_query_encoder
from logic_retrievers.encoders.query_encoder import with_query_encoder as with_query_encoder
from logic_retrievers.encoders.sentence_transformers import (
    SentenceTransformerEncoder as SentenceTransformerEncoder,
)
